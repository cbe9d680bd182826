import type { NavigateOptions } from '@tanstack/react-router'

/** A destination of the palette. */
export interface Target {
  /** Unique among all targets. */
  readonly id: string
  readonly title: string
  /** Its type: a page, a queue, a kind, a schedule or a job. */
  readonly type: string
  readonly to: Pick<NavigateOptions, 'to' | 'params'>
}

/** The maximum number of results. */
const shownMax = 50

const jobId = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** The job with this id; undefined if the text is not a job id. */
export function targetOfId(text: string): readonly Target[] | undefined {
  const id = text.trim().toLowerCase()
  if (!jobId.test(id)) return undefined
  return [{ id: `job-${id}`, title: id, type: 'job', to: { to: '/jobs/$id', params: { id } } }]
}

/**
 * The targets that match each word of the text by title, or by the beginning of their type. Titles that begin with the text come first,
 * then titles with a part that begins with it. Targets of equal rank keep their order.
 */
export function bestTargets(targets: readonly Target[], input: string): readonly Target[] {
  const text = input.trim().toLowerCase()
  const words = text.split(/\s+/)
  return targets
    .map((target) => ({ target, rank: rankOf(target, { text, words }) }))
    .filter(({ rank }) => rank !== undefined)
    .toSorted((a, b) => (a.rank ?? 0) - (b.rank ?? 0))
    .slice(0, shownMax)
    .map(({ target }) => target)
}

interface Query {
  readonly text: string
  readonly words: readonly string[]
}

function rankOf({ title, type }: Target, { text, words }: Query): number | undefined {
  const name = title.toLowerCase()
  if (!words.every((word) => name.includes(word) || type.startsWith(word))) return undefined
  if (name.startsWith(text)) return 0
  return name.split(/[^a-z0-9]+/).some((part) => part.startsWith(text)) ? 1 : 2
}
