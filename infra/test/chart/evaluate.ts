import { stringify } from 'yaml'

/** What an expression is evaluated in. */
export interface Scope {
  /** What the dot stands for. */
  readonly dot: unknown
  readonly variables: ReadonlyMap<string, unknown>
  readonly include: (name: string, dot: unknown) => string
}

/** The value of a pipeline such as `.Values.x | default 1 | quote`. */
export function evaluate(pipeline: string, scope: Scope): unknown {
  const tokens = pipeline.match(/"(?:\\.|[^"\\])*"|\$?[\w.$]+|[()|]/g) ?? []
  let at = 0

  const operand = (): unknown => {
    const token = tokens[at++] ?? ''
    if (token !== '(') return valueOf(token, scope)
    const value = pipe()
    at += 1
    return value
  }

  const command = (piped: readonly unknown[]): unknown => {
    const name = tokens[at] ?? ''
    const isCall = /^[a-z]/i.test(name) && !constants.has(name)
    if (!isCall) return operand()
    at += 1
    const args: unknown[] = []
    while (at < tokens.length && tokens[at] !== '|' && tokens[at] !== ')') args.push(operand())
    return call(name, [...args, ...piped], scope)
  }

  const pipe = (): unknown => {
    let value = command([])
    while (tokens[at] === '|') {
      at += 1
      value = command([value])
    }
    return value
  }

  const value = pipe()
  if (at !== tokens.length) throw new Error(`{{ ${pipeline} }} is not understood after ${tokens[at]}`)
  return value
}

const constants = new Map<string, unknown>([
  ['true', true],
  ['false', false],
  ['nil', undefined],
])

function valueOf(token: string, { dot, variables }: Scope): unknown {
  if (token.startsWith('"')) return JSON.parse(token)
  if (/^\d+$/.test(token)) return Number(token)
  if (constants.has(token)) return constants.get(token)
  if (token.startsWith('.')) return fieldOf(dot, token.slice(1))
  const [name = '', ...fields] = token.split('.')
  if (!variables.has(name)) throw new Error(`${name} is not defined`)
  return fieldOf(variables.get(name), fields.join('.'))
}

/** What is not there is nothing, as in Go; but a field of nothing is an error there and here. */
function fieldOf(value: unknown, path: string): unknown {
  return path
    .split('.')
    .filter((name) => name !== '')
    .reduce((found, name) => {
      if (typeof found !== 'object' || found === null)
        throw new Error(`${name} is asked of nothing, in .${path}`)
      return (found as Readonly<Record<string, unknown>>)[name]
    }, value)
}

/** Go's idea of what an `if` takes for false. */
export function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === false || value === 0 || value === '') return true
  if (Array.isArray(value)) return value.length === 0
  return typeof value === 'object' && Object.keys(value).length === 0
}

/** As Go prints it: a large number comes out in exponents, unless it was made an integer. */
export function textOf(value: unknown): string {
  if (value === undefined || value === null) return ''
  if (typeof value === 'number') return Math.abs(value) >= 1e6 ? value.toExponential() : value.toString()
  if (typeof value === 'string' || typeof value === 'boolean') return value.toString()
  if (value instanceof Integer) return value.toString()
  throw new Error('a map or a list is printed: toYaml is missing')
}

/** A number that has gone through arithmetic or `int64`. Those of values.yaml are floating-point in Helm. */
class Integer {
  private readonly value: number
  constructor(value: unknown) {
    this.value = Math.trunc(Number(value instanceof Integer ? value.value : value))
  }
  valueOf(): number {
    return this.value
  }
  toString(): string {
    return String(this.value)
  }
}

const numberOf = (value: unknown): number => Number(new Integer(value))
const indentBy = (width: unknown, text: unknown): string =>
  textOf(text).replaceAll(/^/gm, ' '.repeat(Number(width)))

/** Those of Go, Sprig and Helm that the chart uses; the piped value comes last. */
const functions: Readonly<Record<string, (...args: readonly unknown[]) => unknown>> = {
  add: (...all) => new Integer(all.reduce<number>((sum, one) => sum + numberOf(one), 0)),
  and: (...all) => all.find(isEmpty) ?? all.at(-1),
  default: (fallback, value) => (isEmpty(value) ? fallback : value),
  dict: (...pairs) =>
    Object.fromEntries(
      pairs.flatMap((key, index) => (index % 2 === 0 ? [[key, pairs[index + 1]]] : [])),
    ) as unknown,
  div: (a, b) => new Integer(numberOf(a) / numberOf(b)),
  eq: (a, b) => a === b,
  int64: (value) => new Integer(value),
  join: (separator, list) => (list as readonly unknown[]).map(textOf).join(textOf(separator)),
  list: (...all) => all,
  mul: (...all) => new Integer(all.reduce<number>((product, one) => product * numberOf(one), 1)),
  nindent: (width, text) => `\n${indentBy(width, text)}`,
  not: (value) => isEmpty(value),
  or: (...all) => all.find((one) => !isEmpty(one)) ?? all.at(-1),
  printf: (format, ...args) => {
    let next = 0
    return textOf(format).replaceAll('%s', () => textOf(args[next++]))
  },
  quote: (value) => JSON.stringify(textOf(value)),
  replace: (from, to, text) => textOf(text).replaceAll(textOf(from), () => textOf(to)),
  toYaml: (value) => stringify(value).trimEnd(),
  trimSuffix: (suffix, text) => {
    const [whole, end] = [textOf(text), textOf(suffix)]
    return whole.endsWith(end) ? whole.slice(0, whole.length - end.length) : whole
  },
  trunc: (length, text) => textOf(text).slice(0, Number(length)),
}

function call(name: string, args: readonly unknown[], { include }: Scope): unknown {
  if (name === 'include') return include(textOf(args[0]), args[1])
  const known = functions[name]
  if (known === undefined) throw new Error(`the function ${name} is not known here`)
  return known(...args)
}
