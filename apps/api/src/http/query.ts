import { queryParametersMax } from './limits.ts'
import { type Issue, issuesProblem, type Problem } from './problem.ts'

/**
 * The parameters of a URL's query. `filter.name=value` and `filter[name]=value` are the member `name` of the parameter `filter`.
 * Throws 400 when one is given twice or holds a malformed percent-encoding, because a guess could give a wrong answer.
 */
export function parseQuery(url: string): Record<string, string | Record<string, string>> {
  const start = url.indexOf('?')
  if (start === -1) return {}
  const parts = url.slice(start + 1).split('&', queryParametersMax + 1)
  if (parts.length > queryParametersMax) {
    throw invalidQuery([{ path: '', message: `there are more than ${queryParametersMax} parameters` }])
  }
  const values = new Map<string, string>()
  for (const part of parts) {
    if (part === '') continue
    const [name, value] = splitParameter(part)
    if (values.has(name)) throw invalidQuery([{ path: `/${name}`, message: 'is given more than once' }])
    values.set(name, value)
  }
  return withMembers(values)
}

const memberPattern = /^(\w+)(?:\.(.+)|\[(.+)\])$/s

/** With fromEntries, a parameter named __proto__ stays data. */
function withMembers(values: ReadonlyMap<string, string>): Record<string, string | Record<string, string>> {
  const plain: [string, string][] = []
  const members = new Map<string, Map<string, string>>()
  for (const [name, value] of values) {
    const [, of, dotted, member = dotted] = memberPattern.exec(name) ?? []
    if (of === undefined || member === undefined) {
      plain.push([name, value])
      continue
    }
    const known = members.get(of) ?? new Map<string, string>()
    if (known.has(member) || values.has(of)) {
      throw invalidQuery([{ path: `/${of}/${member}`, message: 'is given more than once' }])
    }
    members.set(of, known.set(member, value))
  }
  const objects = [...members].map(([name, known]) => [name, Object.fromEntries(known)] as const)
  return Object.fromEntries([...plain, ...objects])
}

function invalidQuery(issues: readonly Issue[]): Problem {
  return issuesProblem('invalid_query', issues)
}

function splitParameter(part: string): [name: string, value: string] {
  const equals = part.indexOf('=')
  return equals === -1 ? [decode(part), ''] : [decode(part.slice(0, equals)), decode(part.slice(equals + 1))]
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    throw invalidQuery([{ path: '', message: 'the query holds a malformed percent-encoding' }])
  }
}
