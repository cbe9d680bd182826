const quote = 0x22
const backslash = 0x5c
const openers = new Set([0x5b, 0x7b])
const closers = new Set([0x5d, 0x7d])

/**
 * Whether arrays and objects are nested deeper than `depthMax` in a JSON text. Looks at the text, so that nothing
 * recurses over a hostile document; of a text that is not JSON it says anything.
 */
export function isNestedDeeper(text: string, depthMax: number): boolean {
  // Each level takes two characters.
  if (text.length <= 2 * depthMax) return false
  let depth = 0
  let inString = false
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index)
    if (inString) {
      if (code === backslash) index += 1
      else if (code === quote) inString = false
    } else if (code === quote) {
      inString = true
    } else if (openers.has(code)) {
      depth += 1
      if (depth > depthMax) return true
    } else if (closers.has(code)) {
      depth -= 1
    }
  }
  return false
}
