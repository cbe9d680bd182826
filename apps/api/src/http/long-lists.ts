import { z } from 'zod'
import type { Finding } from './problem.ts'

/**
 * Finds the first list that is longer than its schema allows. This comes before the validation, which makes a finding for each wrong
 * item, also for those behind the maximum: a body of 0.3 MB would need 60 MB for its findings.
 */
export function findLongList(schema: z.core.$ZodType, value: unknown): Finding | undefined {
  return search(schema, value, [])
}

function search(schema: z.core.$ZodType, value: unknown, path: PropertyKey[]): Finding | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const alternatives = alternativesOf(schema).filter((candidate) =>
    Array.isArray(value) ? candidate instanceof z.core.$ZodArray : candidate instanceof z.core.$ZodObject,
  )
  // One that finds nothing can take the value, so another decides only where all do.
  let first: Finding | undefined
  for (const candidate of alternatives) {
    const found = Array.isArray(value)
      ? searchList(candidate as z.core.$ZodArray, value, path)
      : searchMembers(candidate as z.core.$ZodObject, value as Members, path)
    if (found === undefined) return undefined
    first ??= found
  }
  return first
}

type Members = Readonly<Record<string, unknown>>

function searchList(
  list: z.core.$ZodArray,
  items: readonly unknown[],
  path: PropertyKey[],
): Finding | undefined {
  const { maximum } = list._zod.bag as { readonly maximum?: number }
  if (maximum !== undefined && items.length > maximum)
    return { path, message: `Too big: expected array to have <=${maximum} items` }
  for (const [index, item] of items.entries()) {
    const found = search(list._zod.def.element, item, [...path, index])
    if (found !== undefined) return found
  }
  return undefined
}

function searchMembers(
  object: z.core.$ZodObject,
  members: Members,
  path: PropertyKey[],
): Finding | undefined {
  for (const [name, schema] of Object.entries(object._zod.def.shape)) {
    const found = Object.hasOwn(members, name) ? search(schema, members[name], [...path, name]) : undefined
    if (found !== undefined) return found
  }
  return undefined
}

/** The schemas that a value may have to match: without what may surround them, such as `optional`, and each part of a union. */
function alternativesOf(schema: z.core.$ZodType): readonly z.core.$ZodType[] {
  const { def } = schema._zod as { readonly def: Wrapper }
  if (def.options !== undefined) return def.options.flatMap(alternativesOf)
  const inner = def.innerType ?? def.in
  return inner === undefined ? [schema] : alternativesOf(inner)
}

interface Wrapper {
  readonly options?: readonly z.core.$ZodType[]
  readonly innerType?: z.core.$ZodType
  readonly in?: z.core.$ZodType
}
