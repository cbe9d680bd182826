import { useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { copyText } from '../ui/copy.tsx'
import { keysSetting, togglePaused, toggleZone } from './live.ts'
import { places } from './navigation.ts'

/** What single keys do. A button with `data-key` is pressed by its own; those of the focused row come first. */
export const keyHelp: readonly (readonly [string, string])[] = [
  ['/', 'search'],
  ['?', 'this help'],
  [
    'g then o j e q l d s w k m a y h',
    'overview, jobs, errors, queues, limits, dead letters, schedules, workers, kinds, operations, audit, keys, system',
  ],
  ['j k', 'next and previous row'],
  ['Enter', 'open the row'],
  ['x', 'select the row'],
  ['Space', 'peek at the row'],
  ['.', 'show what is newer'],
  ['a', 'act on all that match'],
  ['r', 'requeue, or resume'],
  ['c', 'cancel'],
  ['z', 'undo'],
  ['p', 'let the page stand still'],
  ['t', 'change between local time and UTC'],
  ['u', 'copy the address of this page'],
]

/** How long after a g the letter of a page counts. */
const goMs = 1_500

const plain: Readonly<Record<string, () => void>> = {
  p: togglePaused,
  t: toggleZone,
  u: () => void copyText(location.href),
  j: () => moveRow(1),
  k: () => moveRow(-1),
  x: () => focusedRow()?.querySelector<HTMLElement>('input[type="checkbox"]')?.click(),
}

interface KeyActions {
  readonly showHelp: () => void
  readonly undo: () => void
}

/** Listens for single keys, but not while somebody types, nor where they are switched off. */
export function useKeyboard({ showHelp, undo }: KeyActions): void {
  const navigate = useNavigate()
  useEffect(() => {
    let wentAtMs = Number.NEGATIVE_INFINITY
    const go = (key: string): boolean => {
      const place = places.find((one) => one.key === key)
      if (performance.now() - wentAtMs > goMs || place === undefined) return false
      wentAtMs = Number.NEGATIVE_INFINITY
      void navigate({ to: place.to })
      return true
    }
    const actions: Readonly<Record<string, () => void>> = { ...plain, '?': showHelp, z: undo }
    const onKey = (event: KeyboardEvent): void => {
      if (isForAnother(event)) return
      const { key } = event
      if (go(key)) return event.preventDefault()
      if (key === 'g') {
        wentAtMs = performance.now()
        return
      }
      const act = key === '/' ? focusSearch : (actions[key] ?? pressButton(key))
      if (act === undefined) return
      event.preventDefault()
      act()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [navigate, showHelp, undo])
}

function isForAnother({ ctrlKey, metaKey, altKey, target, key }: KeyboardEvent): boolean {
  if (keysSetting.get() === 'off' || ctrlKey || metaKey || altKey) return true
  if (!(target instanceof HTMLElement)) return true
  if (target.closest('input:not([type="checkbox"]), textarea, select, dialog') !== null) return true
  return key === ' ' && target.closest('button, input, summary, pre') !== null
}

function focusSearch(): void {
  document.querySelector<HTMLElement>('[data-search]')?.focus()
}

function pressButton(key: string): (() => void) | undefined {
  const selector = `[data-key="${CSS.escape(key)}"]:not(:disabled)`
  const button =
    focusedRow()?.querySelector<HTMLElement>(selector) ?? document.querySelector<HTMLElement>(selector)
  return button === null ? undefined : () => button.click()
}

function focusedRow(): Element | null {
  return document.activeElement?.closest('[data-row]') ?? null
}

function moveRow(step: number): void {
  const rows = [...document.querySelectorAll('[data-row]')]
  const at = rows.indexOf(focusedRow() ?? document.body)
  const next = at === -1 ? 0 : Math.min(rows.length - 1, Math.max(0, at + step))
  rows[next]?.querySelector<HTMLElement>('a, button')?.focus()
}
