const lineLengthMax = 110
/** A line of at least this length ends at the next comma. */
const fullLength = 90

/**
 * Formats a statement for a file. Only white space differs from the statement that is sent, and that PostgreSQL's own functions and
 * operators are without `pg_catalog`. A template keeps its lines, without their common indentation. A statement of the query builder, which is in lower case and on one line, gets a line for each
 * clause. Long lines are wrapped.
 */
export function formatStatement(text: string): string {
  const short = text
    .replaceAll(/OPERATOR\(pg_catalog\.([^)\w]+)\)/g, '$1')
    .replaceAll(/pg_catalog\.(?=[a-z_0-9]+\()/g, '')
  const lines = /^[a-z]/.test(short) ? clauseLines(short) : dedent(short)
  return `${lines.flatMap(wrapLine).join('\n')}\n`
}

/**
 * Formats a statement of a migration for a file. Its lines stay, and only long ones are wrapped. A comment at the end of a long
 * line moves above it.
 */
export function formatDefinition(text: string): string {
  return `${text.trim().split('\n').flatMap(wrapCommentedLine).join('\n')};\n`
}

function wrapCommentedLine(line: string): string[] {
  const [code, comment] = splitComment(line)
  if (line.length <= lineLengthMax) return [line]
  if (comment === undefined) return wrapCode(line)
  const indent = ' '.repeat(line.search(/\S/))
  const comments = wrapComment(indent, comment)
  return code.trim() === '' ? comments : [...comments, ...wrapCode(code.trimEnd())]
}

/** Where a long line is split: the last place of the first sort that leaves at least half of a line. */
const splits: readonly RegExp[] = [
  /^(?:SELECT|FROM|WHERE|GROUP|ORDER|LIMIT|UNION|CROSS|LEFT|JOIN|WITH|WHEN|ELSE|RETURNING|FOR|THEN)$/,
  /^(?:AND|OR)$/,
  /./,
]

/** Splits a line; what follows the first split is indented by 4 more. */
function wrapCode(line: string, indentOfRest = ' '.repeat(line.search(/\S/) + 4)): string[] {
  if (line.length <= lineLengthMax) return [line]
  const indent = line.search(/\S/)
  const tokens = [...line.matchAll(tokenPattern)].map(({ 0: token, index }) => ({ token, index }))
  const places = tokens.flatMap(({ token, index }, n) => {
    const next = tokens[n + 1]
    return token.trim() === '' && n > 0 && next !== undefined && index <= lineLengthMax
      ? [{ index, next: next.token }]
      : []
  })
  const enough = places.filter(({ index }) => index - indent > (lineLengthMax - indent) / 2)
  const place =
    splits.map((split) => enough.findLast(({ next }) => split.test(next))).find(Boolean) ?? places.at(-1)
  if (place === undefined) return [line]
  const rest = `${indentOfRest}${line.slice(place.index).trimStart()}`
  return [line.slice(0, place.index), ...wrapCode(rest, indentOfRest)]
}

/** Matches code up to a comment: quoted strings, and everything that begins neither a string nor a comment. */
const codePattern = /^(?:'(?:[^']|'')*'|[^'-]|-(?!-))*/

function splitComment(line: string): [code: string, comment: string | undefined] {
  const code = codePattern.exec(line)?.[0] ?? ''
  return line.startsWith('--', code.length) ? [code, line.slice(code.length + 2).trim()] : [line, undefined]
}

function wrapComment(indent: string, comment: string): string[] {
  const lines = [`${indent}--`]
  for (const word of comment.split(/\s+/)) {
    const last = lines.at(-1) ?? ''
    if (last.length + word.length < lineLengthMax) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(`${indent}-- ${word}`)
  }
  return lines
}

function dedent(text: string): string[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  // The first line of a template may come directly after its backtick.
  const indents = lines.filter((line) => line.startsWith(' ')).map((line) => line.search(/\S/))
  const common = Math.min(...indents)
  return lines.map((line) => (line.startsWith(' ') ? line.slice(common) : line).trimEnd())
}

/** Matches quoted strings and names, parentheses, white space, and everything between them. */
const tokenPattern = /'(?:[^']|'')*'|"[^"]*"|[()]|\s+|[^()\s'"]+/g

const clauses: ReadonlySet<string> = new Set(
  'from where set values returning limit offset group order left inner cross union'.split(' '),
)
const verbs: ReadonlySet<string> = new Set('select insert update delete'.split(' '))

/** Splits a query into a line for each clause and each condition, including those of queries in parentheses. */
function clauseLines(text: string): string[] {
  const lines = ['']
  const parentheses: { readonly isQuery: boolean }[] = []
  const tokens = text.match(tokenPattern) ?? []
  for (const [index, token] of tokens.entries()) {
    const next = tokens[index + 1] ?? ''
    if (token === '(') parentheses.push({ isQuery: verbs.has(next) })
    if (token === ')') parentheses.pop()
    const indent = '  '.repeat(parentheses.length)
    const isGap = token.trim() === '' && (parentheses.at(-1)?.isQuery ?? true)
    if (isGap && startsClause(tokens, index)) lines.push(indent)
    else if (isGap && next === 'and') lines.push(`${indent}  `)
    else lines[lines.length - 1] += token.trim() === '' ? ' ' : token
  }
  return lines
}

/** Whether a clause, or the query after the common table expressions, starts after the white space at `index`. */
function startsClause(tokens: readonly string[], index: number): boolean {
  const [before, next, after] = [tokens[index - 1], tokens[index + 1] ?? '', tokens[index + 3]]
  if (next === 'on') return after === 'conflict'
  if (verbs.has(next)) return before === ')'
  return clauses.has(next) && before !== 'delete'
}

function wrapLine(line: string): string[] {
  const indent = ' '.repeat(Math.max(0, line.search(/\S/)) + 4)
  const lines = ['']
  for (const token of line.match(tokenPattern) ?? []) {
    const last = lines.at(-1) ?? ''
    const isFull = last.length >= lineLengthMax || (last.length >= fullLength && last.endsWith(','))
    if (token.trim() === '' && isFull) lines.push(indent)
    else lines[lines.length - 1] = last + token
  }
  return lines
}
