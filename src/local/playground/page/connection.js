// The stream of news. A lost connection is told at once and taken up again; whoever listens gets everything anew.

const RETRY_MS = 1000;
/** The server speaks every two seconds; a longer silence is a lost connection that nobody noticed. */
const SILENCE_MS = 6000;

export function openConnection({ events, onState }) {
  let source;
  let watched;
  let retry;
  let heardAt = performance.now();
  let wasLost = false;

  function heard() {
    heardAt = performance.now();
  }

  function open() {
    clearTimeout(retry);
    source?.close();
    const query = watched ? `?rds=${encodeURIComponent(watched)}` : '';
    source = new EventSource(`api/stream${query}`);
    const own = source;
    heard();
    own.addEventListener('open', () => {
      heard();
      onState(wasLost ? 'again' : 'open');
      wasLost = false;
    });
    own.addEventListener('ping', heard);
    own.addEventListener('error', () => own === source && lose());
    for (const [name, listen] of Object.entries(events))
      own.addEventListener(name, (event) => {
        if (own !== source) return;
        heard();
        listen(JSON.parse(event.data));
      });
  }

  function lose() {
    source.close();
    if (!wasLost) onState('lost');
    wasLost = true;
    clearTimeout(retry);
    retry = setTimeout(open, RETRY_MS);
  }

  setInterval(() => {
    if (source.readyState !== EventSource.CLOSED && performance.now() - heardAt > SILENCE_MS) lose();
  }, RETRY_MS);

  return {
    watch(key) {
      watched = key;
      open();
    },
  };
}
