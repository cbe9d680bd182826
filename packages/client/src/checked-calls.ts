import { asThrown } from './thrown.ts'
import { describeValue, InvalidCall } from './invalid-call.ts'

type Calls = Readonly<Record<string, (...args: readonly unknown[]) => unknown>>

/** The same calls, in which whatever the caller has passed wrongly is an `InvalidCall`. */
export function checkedCalls<Client extends object>(client: Client): Client {
  const calls = Object.entries(client as Calls).map(([name, call]) => [name, checkedCall(name, call)])
  return Object.fromEntries(calls) as Client
}

function checkedCall(name: string, call: Calls[string]): Calls[string] {
  const refuse = (thrown: unknown): never => {
    throw asInvalidCall(name, thrown)
  }
  return (...args) => {
    try {
      assertReadable(args)
      const result = call(...args)
      return isIterable(result) ? refusing(result, refuse) : Promise.resolve(result).catch(refuse)
    } catch (thrown) {
      return Promise.resolve().then(() => refuse(thrown))
    }
  }
}

/** A getter may throw and a proxy may be revoked. Once a request is built of them, that would look like a lost connection. */
function assertReadable(args: readonly unknown[]): void {
  try {
    for (const arg of args) {
      if (typeof arg === 'object' && arg !== null) Object.values(arg)
    }
  } catch (cause) {
    throw new InvalidCall('an argument cannot be read: pass plain objects', { cause })
  }
}

function isIterable(result: unknown): result is AsyncIterable<unknown> {
  return typeof result === 'object' && result !== null && Symbol.asyncIterator in result
}

async function* refusing(items: AsyncIterable<unknown>, refuse: (thrown: unknown) => never): AsyncGenerator {
  try {
    yield* items
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

const knownOptions: readonly string[] = [
  'baseUrl',
  'token',
  'tenant',
  'fetch',
  'retries',
  'timeoutMs',
  'signal',
]

export function assertObject(call: string, value: unknown): asserts value is object {
  if (typeof value !== 'object' || value === null)
    throw new InvalidCall(`${call} takes an object, not ${describeValue(value)}: pass what its type says`)
  assertReadable([value])
}

/** Throws for an option that the client does not have: a misspelt one would be ignored. */
export function assertClientOptions(options: unknown): void {
  assertObject('createClient', options)
  const unknown = Object.keys(options).find((name) => !knownOptions.includes(name))
  if (unknown === undefined) return
  throw new InvalidCall(
    `createClient has no option ${JSON.stringify(unknown)}: it takes ${knownOptions.join(', ')}`,
  )
}
