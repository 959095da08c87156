// The few things that every part of the page does to the document.

export const byId = (id) => document.getElementById(id);

/** Attributes by name; `text` is the content. Nothing is ever parsed as HTML. */
export function make(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  const { text, ...rest } = attributes;
  for (const [name, value] of Object.entries(rest)) node.setAttribute(name, value);
  if (text !== undefined) node.textContent = text;
  node.append(...children);
  return node;
}

/** Writes only what differs: a redraw costs more than a comparison. */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

export function setData(node, name, value) {
  if (node.dataset[name] !== value) node.dataset[name] = value;
}

/** The answer as JSON, with `ok`; a server that does not answer is an answer too. */
export async function ask(method, path, body = {}) {
  try {
    const response = await fetch(path, {
      method,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return { ok: response.ok, ...(await response.json()) };
  } catch {
    return { ok: false, message: 'The playground does not answer. Is it still running?' };
  }
}
