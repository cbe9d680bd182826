import { z } from 'zod'
import {
  type CheckedDeadLetterSelection,
  type DeadLetterSelection,
  deadLetterSelectionSchema,
} from '../reads/dead-letters.ts'
import { parseOrThrow } from '../domain/job-definition.ts'
import type { JsonValue } from '../domain/json.ts'
import { type CheckedJobFilter, type JobFilter, jobFilterSchema } from '../reads/job-filter.ts'

/** A filter of jobs or dead letters in the names of the wire, with instants as texts. */
export function filterToJson(filter: JobFilter | DeadLetterSelection): JsonValue {
  return Object.fromEntries(
    Object.entries(filter)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [
        name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
        value instanceof Date ? value.toISOString() : value,
      ]),
  ) as JsonValue
}

function fromJson(json: JsonValue): Record<string, unknown> {
  const isInstant = (name: string): boolean => /_(?:after|before)$/.test(name)
  const members = z.record(z.string(), z.unknown()).parse(json)
  return Object.fromEntries(
    Object.entries(members).map(([name, value]) => [
      name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
      isInstant(name) ? new Date(String(value)) : value,
    ]),
  )
}

export function jobFilterOf(json: JsonValue): CheckedJobFilter {
  return parseOrThrow(jobFilterSchema, fromJson(json), 'invalid_options')
}

export function selectionOf(json: JsonValue): CheckedDeadLetterSelection {
  return parseOrThrow(deadLetterSelectionSchema, fromJson(json), 'invalid_options')
}
