/** What a PromQL expression reads, as far as names go. */
export interface Reads {
  /** Each selector with the labels that its matchers name. */
  readonly selectors: readonly { readonly metric: string; readonly labels: readonly string[] }[]
  /** The labels of `by`, `on`, `without` and `ignoring`. */
  readonly grouping: readonly string[]
}

const keywords = new Set(['and', 'or', 'unless', 'bool', 'offset', 'by', 'on', 'without', 'ignoring'])
const groupingPattern = /\b(?:by|on|without|ignoring|group_left|group_right)\s*\(([^)]*)\)/g
const selectorPattern = /([a-zA-Z_:][a-zA-Z0-9_:]*)\s*(?:\{([^}]*)\})?(\s*\()?/g

/**
 * The names in an expression: enough to find a metric or a label that nobody exports, and no parser. Whether it is
 * PromQL at all is promtool's to say.
 */
export function readsOf(expression: string): Reads {
  // What stands in quotes and in brackets names neither a metric nor a label.
  const plain = expression.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""').replaceAll(/\[[^\]]*\]/g, '')
  const grouping = [...plain.matchAll(groupingPattern)].flatMap(([, list = '']) => namesOf(list))
  const rest = plain.replaceAll(groupingPattern, '')
  const selectors = [...rest.matchAll(selectorPattern)].flatMap(([, metric = '', matchers = '', call]) => {
    if (call !== undefined || keywords.has(metric)) return []
    return [{ metric, labels: namesOf(matchers.replaceAll(/[!=~]+""/g, '')) }]
  })
  return { selectors, grouping }
}

function namesOf(list: string): string[] {
  return list
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
}
