import { RefusedError } from "../errors.ts";

/** Names that lead into a network rather than out of it. */
const INTERNAL = /(?:^|\.)(?:localhost|local|internal|intranet|lan|corp|home|home\.arpa|test|invalid)$/;

type Bits = number;
/** Blocks of IPv4 that are nobody's on the internet, or are not for one receiver: first address and length of the prefix. */
const RESERVED_V4: readonly (readonly [string, Bits])[] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3],
];

/**
 * Checks where a webhook is to be sent: only to the internet, by https, at its port. `allowed` are hosts, with their ports
 * where they are not the usual ones, that are taken as they are. What a public name leads to is not known here.
 */
export function checkWebhookTarget(url: string, allowed: readonly string[]): URL {
  if (!URL.canParse(url)) throw refused("it is no URL");
  const target = new URL(url);
  const { protocol, host, hostname, port, username, password } = target;
  if (protocol !== "https:" && protocol !== "http:") throw refused("it has to begin with https");
  if (username !== "" || password !== "") throw refused("it must not hold a user or a password");
  if (allowed.includes(host)) return target;
  if (protocol !== "https:") throw refused("it has to begin with https");
  if (port !== "") throw refused(`port ${port} is not allowed`);
  if (isInternal(hostname)) throw refused(`"${hostname}" is not a host of the internet`);
  return target;
}

/** As the host stands in a URL that was parsed: addresses in every notation have become one by then. */
function isInternal(hostname: string): boolean {
  const name = hostname.replace(/\.$/, "");
  if (name.startsWith("[")) return isReservedV6(name.slice(1, -1));
  if (/^\d+\.\d+\.\d+\.\d+$/.test(name)) return isReservedV4(numberOf(name));
  return !name.includes(".") || INTERNAL.test(name);
}

function isReservedV4(address: number): boolean {
  return RESERVED_V4.some(([first, bits]) => (address ^ numberOf(first)) >>> (32 - bits) === 0);
}

function numberOf(address: string): number {
  return address.split(".").reduce((number, part) => number * 256 + Number(part), 0);
}

/** Only what is given out to the internet (2000::/3) and does not hold an address of IPv4 that is not. */
function isReservedV6(address: string): boolean {
  const groups = groupsOf(address);
  const [first = 0, second = 0, third = 0] = groups;
  if (first >>> 13 !== 1) return true;
  const isTunnel = first === 0x2001 && second < 0x200;
  const isDocumentation = (first === 0x2001 && second === 0xdb8) || first === 0x3fff;
  const isSixToFour = first === 0x2002 && isReservedV4(second * 0x10000 + third);
  return isTunnel || isDocumentation || isSixToFour;
}

/** The eight groups of an address as a parsed URL has it, in which one run of zeros is left out. */
function groupsOf(address: string): number[] {
  const [head = "", tail = ""] = address.split("::");
  const before = head === "" ? [] : head.split(":");
  const after = tail === "" ? [] : tail.split(":");
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => "0");
  return [...before, ...(address.includes("::") ? zeros : []), ...after].map((group) =>
    Number.parseInt(group, 16),
  );
}

function refused(why: string): RefusedError {
  return new RefusedError("invalid_webhook", `The webhook cannot be used: ${why}.`);
}
