import type { NavigateOptions } from '@tanstack/react-router'

/** Somewhere to go. */
export interface Target {
  /** No other has it. */
  readonly name: string
  readonly title: string
  /** What it is: a page, a queue … */
  readonly what: string
  readonly to: Pick<NavigateOptions, 'to' | 'params'>
}

/** More are no help: whoever looks for one of them writes another letter. */
const shownMax = 50

const jobId = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** The job that has this id; undefined where the text is none. */
export function targetOfId(text: string): readonly Target[] | undefined {
  const id = text.trim().toLowerCase()
  if (!jobId.test(id)) return undefined
  return [{ name: `job-${id}`, title: id, what: 'job', to: { to: '/jobs/$id', params: { id } } }]
}

/**
 * Those whose names have each word of the text, where it does not begin what they are: first those that begin with the text, then those of which a part
 * does, and those of one rank as they were.
 */
export function bestTargets(targets: readonly Target[], text: string): readonly Target[] {
  const sought = text.trim().toLowerCase()
  const words = sought.split(/\s+/)
  return targets
    .map((target) => ({ target, rank: rankOf(target, { sought, words }) }))
    .filter(({ rank }) => rank !== undefined)
    .toSorted((a, b) => (a.rank ?? 0) - (b.rank ?? 0))
    .slice(0, shownMax)
    .map(({ target }) => target)
}

interface Sought {
  readonly sought: string
  readonly words: readonly string[]
}

function rankOf({ title, what }: Target, { sought, words }: Sought): number | undefined {
  const name = title.toLowerCase()
  if (!words.every((word) => name.includes(word) || what.startsWith(word))) return undefined
  if (name.startsWith(sought)) return 0
  return name.split(/[^a-z0-9]+/).some((part) => part.startsWith(sought)) ? 1 : 2
}
