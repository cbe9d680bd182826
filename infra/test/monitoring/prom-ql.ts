/** The names that a PromQL expression reads. */
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
 * The names in an expression, to find metrics and labels that no process exports. It is not a parser: promtool checks the
 * syntax.
 */
export function readsOf(expression: string): Reads {
  // Text in quotes and in brackets names neither a metric nor a label.
  const namesOnly = expression.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""').replaceAll(/\[[^\]]*\]/g, '')
  const grouping = [...namesOnly.matchAll(groupingPattern)].flatMap(([, list = '']) => namesOf(list))
  const ungrouped = namesOnly.replaceAll(groupingPattern, '')
  const selectors = [...ungrouped.matchAll(selectorPattern)].flatMap(
    ([, metric = '', matchers = '', call]) => {
      if (call !== undefined || keywords.has(metric)) return []
      return [{ metric, labels: namesOf(matchers.replaceAll(/[!=~]+""/g, '')) }]
    },
  )
  return { selectors, grouping }
}

function namesOf(list: string): string[] {
  return list
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
}
