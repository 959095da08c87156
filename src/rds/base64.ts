// Text as a Secret keeps it. Nearly all of it is ASCII, for which no bytes are needed in between.

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const isAscii = /^[\x20-\x7e]*$/;

export function toBase64(text: string): string {
  return btoa(isAscii.test(text) ? text : String.fromCharCode(...encoder.encode(text)));
}

export function fromBase64(base64: string): string {
  const bytes = atob(base64);
  return isAscii.test(bytes) ? bytes : decoder.decode(Uint8Array.from(bytes, (char) => char.charCodeAt(0)));
}
