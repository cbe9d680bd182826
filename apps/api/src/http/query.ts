import { queryParametersMax } from './limits.ts'
import { type Issue, issuesProblem, type Problem } from './problem.ts'

/**
 * Parses the query of a URL. `filter.name=value` and `filter[name]=value` are the member `name` of the parameter `filter`.
 * Throws 400 if a parameter is repeated or has a malformed percent-encoding, because guessing could give a wrong result.
 */
export function parseQuery(url: string): Record<string, string | Record<string, string>> {
  const start = url.indexOf('?')
  if (start === -1) return {}
  const parts = url.slice(start + 1).split('&', queryParametersMax + 1)
  if (parts.length > queryParametersMax) {
    throw invalidQuery([{ path: '', message: `the query has more than ${queryParametersMax} parameters` }])
  }
  const values = new Map<string, string>()
  for (const part of parts) {
    if (part === '') continue
    const [name, value] = splitParameter(part)
    if (dropped.test(name)) {
      throw invalidQuery([{ path: `/${name}`, message: 'no parameter can be called __proto__' }])
    }
    if (values.has(name)) throw invalidQuery([{ path: `/${name}`, message: 'must not be repeated' }])
    values.set(name, value)
  }
  return withMembers(values)
}

/** A record of zod drops a member of this name without a word. */
const dropped = /^(?:\w+[.[])?__proto__\]?$/

const memberPattern = /^(\w+)(?:\.(.+)|\[(.+)\])$/s

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
      throw invalidQuery([{ path: `/${of}/${member}`, message: 'must not be repeated' }])
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
    throw invalidQuery([{ path: '', message: 'the query has a malformed percent-encoding' }])
  }
}
