/** Orders texts by their UTF-16 code units: the order in which every transaction locks keys. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
