// Which links of a message may be opened: exact hosts, https, the paths that SMN has, and nothing else. Patterns of
// host names were fooled before, by a storage bucket whose name fits.

export type Links = {
  isCertificate(link: string, region: string): boolean;
  isConfirmation(link: string, topicUrn: string): boolean;
};

const LONGEST = 2_048;
const CERTIFICATE = /^SMN_([a-z0-9-]+)_[0-9a-f]{32}\.pem$/;

/** `endpoint`: SMN in the catalog, `https://host/v2/<project>`. `extraHosts`: `host` or `host:port`. */
export function allowedLinks(endpoint: string, extraHosts: readonly string[]): Links {
  const catalog = new URL(endpoint);
  const hosts = new Set(extraHosts);
  if (catalog.protocol === 'https:') hosts.add(catalog.host);
  // Where services share one host, each has a prefix of its own: https://host/smn/v2/<project>.
  const folders = ['/smn/', `${catalog.pathname.replace(/\/v2(\/.*)?$/, '')}/smn/`];

  /** Behind the folder of SMN; undefined when the link leads elsewhere. */
  function open(link: string): { url: URL; rests: string[] } | undefined {
    if (link.length > LONGEST || !URL.canParse(link)) return undefined;
    const url = new URL(link);
    // One spelling only: what is checked here is what will be asked.
    if (url.href !== link || url.protocol !== 'https:' || !hosts.has(url.host)) return undefined;
    if (url.username !== '' || url.password !== '' || url.hash !== '') return undefined;
    const rests = folders
      .filter((folder) => url.pathname.startsWith(folder))
      .map((folder) => url.pathname.slice(folder.length));
    return { url, rests };
  }

  return {
    isCertificate(link, region) {
      const { url, rests = [] } = open(link) ?? {};
      return url?.search === '' && rests.some((rest) => CERTIFICATE.exec(rest)?.[1] === region);
    },
    isConfirmation(link, topicUrn) {
      const { url, rests = [] } = open(link) ?? {};
      if (!url || !rests.includes('subscription/confirm')) return false;
      const topics = url.searchParams.getAll('topic_urn');
      return topics.length === 1 && topics[0] === topicUrn && Boolean(url.searchParams.get('token'));
    },
  };
}
