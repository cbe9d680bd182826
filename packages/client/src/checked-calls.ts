import { asThrown } from './thrown.ts'
import { assertReadable, InvalidCall } from './invalid-call.ts'
import { describeUnknown } from './nearest-name.ts'
import { assertObject, assertOptions, type CallRules, type RulesOfCalls } from './option-rules.ts'
import type { ClientOptions } from './options.ts'

type Call = (...args: readonly unknown[]) => unknown

/** The same calls, in which whatever the caller has passed wrongly is an `InvalidCall`. */
export function checkedCalls<Client extends object>(client: Client, rules: RulesOfCalls<Client>): Client {
  const byName = rules as Readonly<Record<string, CallRules>>
  const calls = Object.entries(client as Readonly<Record<string, Call>>).map(([name, call]) => [
    name,
    checkedCall(name, call, byName[name]),
  ])
  return Object.fromEntries(calls) as Client
}

function checkedCall(name: string, call: Call, rules: CallRules | undefined): Call {
  if (rules === undefined) throw new Error(`the options of ${name} have no rules`)
  const checked = (args: readonly unknown[]): unknown => {
    assertReadable(args)
    assertOptions(name, args[rules.at], rules)
    return call(...args)
  }
  const refuse = (thrown: unknown): never => {
    throw asInvalidCall(name, thrown)
  }
  if (rules.iterates) return (...args) => refusing(() => checked(args) as AsyncIterable<unknown>, refuse)
  return async (...args) => {
    try {
      return await checked(args)
    } catch (thrown) {
      return refuse(thrown)
    }
  }
}

async function* refusing(
  start: () => AsyncIterable<unknown>,
  refuse: (thrown: unknown) => never,
): AsyncGenerator {
  try {
    yield* start()
  } catch (thrown) {
    refuse(thrown)
  }
}

/** What an engine throws about arguments of the wrong type. A network failure of `fetch` has a cause. */
const callerErrors: ReadonlySet<unknown> = new Set(['TypeError', 'RangeError', 'URIError'])

/** Whether the call cannot be sent at all, because of an argument, its body or a header. */
export function isCallerError(thrown: unknown): boolean {
  const { name, cause } = asThrown(thrown)
  return thrown instanceof InvalidCall || (callerErrors.has(name) && cause === undefined)
}

function asInvalidCall(name: string, thrown: unknown): unknown {
  if (thrown instanceof InvalidCall || !isCallerError(thrown)) return thrown
  return new InvalidCall(`${name} cannot be sent with these arguments: pass what its type says`, {
    cause: thrown,
  })
}

const clientOptions: { readonly [Name in keyof ClientOptions]-?: true } = {
  baseUrl: true,
  token: true,
  tenant: true,
  fetch: true,
  retries: true,
  timeoutMs: true,
  signal: true,
}

/** Throws for an option that the client does not have: a misspelt one would be ignored. */
export function assertClientOptions(options: unknown): void {
  assertObject('createClient', options)
  const known = Object.keys(clientOptions)
  const unknown = Object.keys(options).find((name) => !known.includes(name))
  if (unknown !== undefined) throw new InvalidCall(`createClient ${describeUnknown(unknown, known)}`)
}
