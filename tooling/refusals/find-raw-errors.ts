import { wrongValues } from './wrong-values.ts'

type Call = (...args: readonly unknown[]) => unknown

/** An id that no job has, so that the arguments after it are reached. */
export const unknownId = '0199b4a0-0000-7000-8000-000000000000'
/** No refusal waits for anything but the database. */
const answerMsMax = 5_000

/** What `isRefusal` does not accept of what a call throws or rejects with; undefined if it has an answer, or refuses. */
export async function rawErrorOf(
  call: () => unknown,
  isRefusal: (error: unknown) => boolean,
): Promise<string | undefined> {
  try {
    await within(call())
  } catch (error) {
    return isRefusal(error) ? undefined : shown(error)
  }
  return undefined
}

/** An iterable is read, because its calls begin with the first step. */
async function within(result: unknown): Promise<unknown> {
  if (typeof result === 'object' && result !== null && Symbol.asyncIterator in result) {
    return within((result as AsyncIterable<unknown>)[Symbol.asyncIterator]().next())
  }
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error('no answer')), answerMsMax)
  try {
    return await Promise.race([result, late])
  } finally {
    clearTimeout(timer)
  }
}

function shown(error: unknown): string {
  try {
    const { name, code, message } = error as { name?: unknown; code?: unknown; message?: unknown }
    return `${String(name)} (${String(code)}): ${String(message).slice(0, shownLength)}`
  } catch {
    return 'something that cannot be read'
  }
}

const shownLength = 160

/** Calls a function with each wrong value, in all places and behind an id. Returns a line for each raw error. */
export async function findRawErrors(
  name: string,
  call: Call,
  isRefusal: (error: unknown) => boolean,
): Promise<string[]> {
  const attempts = Object.entries(wrongValues()).flatMap(([label, value]) =>
    [
      [value, value, value],
      [unknownId, value, value],
    ].map(async (args) => {
      const error = await rawErrorOf(() => call(...args), isRefusal)
      return error === undefined ? [] : [`${name}, ${label}: ${error}`]
    }),
  )
  return (await Promise.all(attempts)).flat()
}

/** The functions of an object and of the objects in it, by path. */
export function functionsOf(name: string, owner: object, except: readonly string[]): [string, Call][] {
  return Object.entries(owner).flatMap(([member, value]): [string, Call][] => {
    if (except.includes(member)) return []
    if (typeof value === 'function')
      return [[`${name}.${member}`, (...args) => Reflect.apply(value, owner, args)]]
    return isPlain(value) ? functionsOf(`${name}.${member}`, value, except) : []
  })
}

/** Whether it is an object literal of ours, and not a client, a schema or a pool. */
function isPlain(value: unknown): value is object {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
}
