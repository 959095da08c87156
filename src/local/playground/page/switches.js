// The switches for faults and the sliders for load.

import { ask, byId, make, setText } from './dom.js';

export function createSwitches() {
  const home = byId('switches');
  const inputs = new Map();

  function add({ name, label, text }) {
    const input = make('input', {
      type: 'checkbox',
      role: 'switch',
      id: `switch-${name}`,
      'aria-describedby': `about-${name}`,
    });
    input.addEventListener('change', async () => {
      const answer = await ask('POST', 'api/switch', { name, on: input.checked });
      if (!answer.ok) input.checked = !input.checked;
    });
    home.append(
      make(
        'li',
        {},
        make('label', { for: `switch-${name}` }, make('b', { text: label }), input),
        make('p', { id: `about-${name}`, text }),
      ),
    );
    inputs.set(name, input);
    return input;
  }

  return {
    update(switches) {
      for (const one of switches) {
        const input = inputs.get(one.name) ?? add(one);
        if (input.checked !== one.on) input.checked = one.on;
      }
    },
  };
}

const SEND_EVERY_MS = 150;
/** A hand that just moved a slider knows better than the news that are still on their way. */
const OURS_FOR_MS = 2500;

export function createSliders({ chosen }) {
  const form = byId('sliders');
  const sliders = [...form.querySelectorAll('input')];
  const movedAt = new Map();
  let timer;
  let wanted = {};

  const shownValue = (slider) => slider.parentNode.querySelector('.value');
  const show = (slider) => {
    setText(shownValue(slider), `${slider.value} %`);
    slider.setAttribute('aria-valuetext', `${slider.value} percent`);
  };

  async function send() {
    timer = undefined;
    const load = wanted;
    wanted = {};
    const answer = await ask('POST', 'api/load', { rds: chosen(), ...load });
    setText(byId('load-note'), answer.ok ? '' : answer.message);
  }

  for (const slider of sliders)
    slider.addEventListener('input', () => {
      movedAt.set(slider, performance.now());
      wanted[slider.name] = Number(slider.value);
      show(slider);
      if (timer === undefined) timer = setTimeout(send, SEND_EVERY_MS);
    });

  byId('load-curve').addEventListener('click', async () => {
    movedAt.clear();
    const answer = await ask('POST', 'api/load', { rds: chosen(), cpu: null, mem: null, disk: null });
    setText(byId('load-note'), answer.ok ? 'The load follows the daily curve again.' : answer.message);
  });

  return {
    /** Sliders show what is; a database that is down has no load. */
    update(sample) {
      const isUp = sample?.cpu !== undefined;
      byId('load-curve').disabled = !isUp;
      for (const slider of sliders) {
        if (slider.disabled === isUp) slider.disabled = !isUp;
        if (!isUp) setText(shownValue(slider), '–');
        else if (performance.now() - (movedAt.get(slider) ?? Number.NEGATIVE_INFINITY) > OURS_FOR_MS) {
          slider.value = String(Math.round(sample[slider.name]));
          show(slider);
        }
      }
    },
    clear() {
      movedAt.clear();
      setText(byId('load-note'), '');
    },
  };
}
