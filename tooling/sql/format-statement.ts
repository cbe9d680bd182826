const lineLengthMax = 110
/** A line of this length ends at the next comma. */
const fullLength = 90

/**
 * A statement as the text of a file. It differs from what is sent in white space alone: a template keeps its lines and
 * loses the indentation that they have in common; what the builder makes, in lower case and one line, gets a line for
 * each clause. Lines that are too long go on in another one.
 */
export function formatStatement(text: string): string {
  const lines = /^[a-z]/.test(text) ? clauseLines(text) : dedented(text)
  return `${lines.flatMap(wrapped).join('\n')}\n`
}

function dedented(text: string): string[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  // The first line of a template may stand right behind its backtick.
  const indents = lines.filter((line) => line.startsWith(' ')).map((line) => line.search(/\S/))
  const common = Math.min(...indents)
  return lines.map((line) => (line.startsWith(' ') ? line.slice(common) : line).trimEnd())
}

/** Quoted texts and names, parentheses, white space, and what is between them. */
const part = /'(?:[^']|'')*'|"[^"]*"|[()]|\s+|[^()\s'"]+/g

const clauses: ReadonlySet<string> = new Set(
  'from where set values returning limit offset group order left inner cross union'.split(' '),
)
const verbs: ReadonlySet<string> = new Set('select insert update delete'.split(' '))

/** A line for each clause of a query, and of those in parentheses, and for each condition. */
function clauseLines(text: string): string[] {
  const lines = ['']
  const parentheses: { readonly isQuery: boolean }[] = []
  const parts = text.match(part) ?? []
  for (const [place, word] of parts.entries()) {
    const next = parts[place + 1] ?? ''
    if (word === '(') parentheses.push({ isQuery: verbs.has(next) })
    if (word === ')') parentheses.pop()
    const indent = '  '.repeat(parentheses.length)
    const isGap = word.trim() === '' && (parentheses.at(-1)?.isQuery ?? true)
    if (isGap && beginsClause(parts, place)) lines.push(indent)
    else if (isGap && next === 'and') lines.push(`${indent}  `)
    else lines[lines.length - 1] += word.trim() === '' ? ' ' : word
  }
  return lines
}

/** Whether a clause, or the query behind the common table expressions, begins behind the gap at `place`. */
function beginsClause(parts: readonly string[], place: number): boolean {
  const [before, next, after] = [parts[place - 1], parts[place + 1] ?? '', parts[place + 3]]
  if (next === 'on') return after === 'conflict'
  if (verbs.has(next)) return before === ')'
  return clauses.has(next) && before !== 'delete'
}

function wrapped(line: string): string[] {
  const indent = ' '.repeat(Math.max(0, line.search(/\S/)) + 4)
  const lines = ['']
  for (const word of line.match(part) ?? []) {
    const last = lines.at(-1) ?? ''
    const isFull = last.length >= lineLengthMax || (last.length >= fullLength && last.endsWith(','))
    if (word.trim() === '' && isFull) lines.push(indent)
    else lines[lines.length - 1] = last + word
  }
  return lines
}
