import { describe, expect, test } from '@jest/globals'
import {
  chooseState,
  type FetcherEvent,
  type FetcherState,
  nextState,
  type Outlook,
  showsWork,
} from '../src/fetcher-states.ts'

/** An idle process whose last claim left nothing behind, and which fetches nothing ahead. */
const idle: Outlook = {
  freeSlots: 4,
  waitingJobs: 0,
  waitingJobsMax: 0,
  backlog: 'none',
  isSlotClaimDue: false,
  isDatabaseBehind: false,
}
/** A busy process of short jobs: more is in the queue, and jobs are fetched ahead. */
const busy: Outlook = { ...idle, freeSlots: 0, waitingJobs: 5, waitingJobsMax: 20, backlog: 'more' }

const waits = ['idle', 'awaiting_slot', 'full'] as const
const claims = ['claiming_for_slots', 'claiming_ahead'] as const
const claimEnds = ['left_more', 'took_all', 'found_nothing', 'failed'] as const

/** Every outlook of a small world: each bound at, below and above its neighbours. */
function* outlooks(): Generator<Outlook> {
  for (const freeSlots of [0, 1, 4])
    for (const waitingJobs of [0, 1, 10, 11, 20])
      for (const waitingJobsMax of [0, 20])
        for (const backlog of ['none', 'announced', 'more'] as const)
          for (const isSlotClaimDue of [false, true])
            for (const isDatabaseBehind of [false, true])
              yield { freeSlots, waitingJobs, waitingJobsMax, backlog, isSlotClaimDue, isDatabaseBehind }
}

describe('a state follows from how the one before it ended', () => {
  test.each(waits)('when %s is woken, the next state is chosen anew', (state) => {
    for (const outlook of outlooks()) {
      expect(nextState(state, 'woken', outlook)).toBe(chooseState(outlook))
    }
  })

  test.each([
    ['claiming_for_slots', 'left_more', 'claiming_for_slots'],
    ['claiming_for_slots', 'took_all', 'idle'],
    ['claiming_for_slots', 'found_nothing', 'idle'],
    ['claiming_for_slots', 'failed', 'idle'],
    // What it does not bring, a claim for slots may still find.
    ['claiming_ahead', 'left_more', 'claiming_for_slots'],
    ['claiming_ahead', 'took_all', 'claiming_for_slots'],
    ['claiming_ahead', 'found_nothing', 'claiming_for_slots'],
    ['claiming_ahead', 'failed', 'idle'],
  ] satisfies [FetcherState, FetcherEvent, FetcherState][])(
    '%s that ended with %s leads to %s, where nothing was announced since',
    (state, event, next) => {
      expect(nextState(state, event, idle)).toBe(next)
    },
  )

  test('what is announced while a claim is under way is claimed at once, whatever its answer', () => {
    for (const state of claims)
      for (const event of claimEnds)
        expect(nextState(state, event, { ...idle, backlog: 'announced' })).toBe('claiming_for_slots')
  })

  test('nothing leads out of stopped', () => {
    for (const event of ['woken', ...claimEnds] as const)
      for (const outlook of outlooks()) expect(nextState('stopped', event, outlook)).toBe('stopped')
  })

  test('after a claim that shows work the poll interval is the shortest again, and only then', () => {
    const pairs = claims.flatMap((state) => claimEnds.map((event) => [state, event] as const))
    const showing = pairs.filter(([state, event]) => showsWork(state, event))
    expect(showing).toEqual([
      ['claiming_for_slots', 'left_more'],
      ['claiming_for_slots', 'took_all'],
      ['claiming_ahead', 'left_more'],
      ['claiming_ahead', 'took_all'],
      ['claiming_ahead', 'found_nothing'],
    ])
    for (const state of waits) expect(showsWork(state, 'woken')).toBe(false)
  })
})

describe('a choice', () => {
  test('never claims while the database is behind with the ends of jobs', () => {
    for (const outlook of outlooks()) if (outlook.isDatabaseBehind) expect(chooseState(outlook)).toBe('full')
  })

  test('never claims for slots without a free slot', () => {
    for (const outlook of outlooks())
      if (chooseState(outlook) === 'claiming_for_slots') expect(outlook.freeSlots).toBeGreaterThan(0)
  })

  test('never fetches ahead beyond the bound, nor where nothing may wait, nor of an empty queue', () => {
    for (const outlook of outlooks()) {
      if (chooseState(outlook) !== 'claiming_ahead') continue
      expect(outlook.waitingJobs).toBeLessThan(outlook.waitingJobsMax)
      expect(outlook.backlog).not.toBe('none')
    }
  })

  test('always claims where a slot is free, nothing waits and the database keeps up', () => {
    for (const outlook of outlooks()) {
      const { freeSlots, waitingJobs, isDatabaseBehind } = outlook
      if (freeSlots === 0 || waitingJobs > 0 || isDatabaseBehind) continue
      expect(claims).toContain(chooseState(outlook))
    }
  })

  test('never waits idly: only an answer leads to idle', () => {
    for (const outlook of outlooks()) expect(chooseState(outlook)).not.toBe('idle')
  })

  test('fetches ahead when half of what may wait has begun', () => {
    expect(chooseState({ ...busy, waitingJobs: 11 })).toBe('full')
    expect(chooseState({ ...busy, waitingJobs: 10 })).toBe('claiming_ahead')
  })

  test('takes an announcement to an idle process for a claim for slots, though jobs are fetched ahead', () => {
    const announced: Outlook = { ...idle, waitingJobsMax: 20, backlog: 'announced' }
    expect(chooseState(announced)).toBe('claiming_for_slots')
    expect(chooseState({ ...announced, backlog: 'more' })).toBe('claiming_ahead')
  })

  test('keeps the next slot for a claim that is due, whatever waits in memory', () => {
    const due: Outlook = { ...busy, isSlotClaimDue: true }
    expect(chooseState(due)).toBe('awaiting_slot')
    expect(chooseState({ ...due, freeSlots: 1 })).toBe('claiming_for_slots')
  })

  test('lets what waits in memory begin before it claims for slots, where nothing may be fetched ahead', () => {
    const heldUp: Outlook = { ...busy, waitingJobsMax: 0, isSlotClaimDue: true }
    expect(chooseState(heldUp)).toBe('full')
    expect(chooseState({ ...heldUp, waitingJobs: 0 })).toBe('awaiting_slot')
  })
})
