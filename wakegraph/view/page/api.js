// Talks to the server. The token lives in this tab only and is sent as a header, never in an address.

const STORED = "wakegraph.token";

export class Refused extends Error {}

let token = sessionStorage.getItem(STORED);

export function useToken(value) {
  token = value;
  if (value) sessionStorage.setItem(STORED, value);
  else sessionStorage.removeItem(STORED);
}

/** Exchange the code of the address that was opened for the token of this tab. */
export async function exchange(code) {
  const answer = await fetch("view/api/session", { method: "POST", headers: { "X-Wakegraph-Code": code } });
  const body = await answer.json();
  if (answer.ok) useToken(body.token);
  else if (!token) throw new Refused(body.error);
}

/** Ask for JSON. `parameters` that are null or undefined are left out. */
export async function ask(name, parameters = {}, signal = undefined) {
  const given = Object.entries(parameters).filter(([, value]) => value !== null && value !== undefined);
  const query = new URLSearchParams(given).toString();
  const sent = token; // another answer may drop it meanwhile
  const headers = sent ? { Authorization: `Bearer ${sent}` } : {};
  const answer = await fetch(`view/api/${name}${query ? `?${query}` : ""}`, { headers, signal });
  const body = await answer.json().catch(() => ({ error: `the server answered ${answer.status}` }));
  if (answer.status === 401) throw new Refused(sent ? "This token is not accepted." : body.error);
  if (!answer.ok) throw new Error(body.error ?? `the server answered ${answer.status}`);
  return body;
}
