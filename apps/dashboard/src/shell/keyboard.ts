import { type AnyRouter, useNavigate, useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { keysSetting, togglePaused, toggleZone } from './live.ts'
import { places } from './navigation.ts'
import { moveRow, selectRange, selectRow } from './rows.ts'

const goLetters = places.map(({ key }) => key).join(' ')
const goNames = places.map(({ name }) => name.toLowerCase()).join(', ')

/** How the key beside the others is called on the machine of whoever looks. */
export const goKey = navigator.userAgent.includes('Mac') ? '⌘K' : 'Ctrl K'

/** Every key that does something. A button with `data-key` is pressed by its own; those of the focused row come first. */
export const keyHelp: readonly (readonly [string, string])[] = [
  [goKey, 'go to a page, a queue, a kind, a schedule, or a job by its id'],
  ['/', 'search: this page, or all jobs where it has no search'],
  ['?', 'this help'],
  [`g then ${goLetters}`, goNames],
  ['j k', 'next and previous row'],
  ['Enter', 'open the row'],
  ['x', 'select the row'],
  ['Shift x', 'select all rows from the one that was selected last'],
  ['a', 'act on all that match'],
  ['Space', 'peek at the row'],
  ['Esc', 'close what is open beside the page, or go back'],
  ['.', 'show what is newer'],
  ['[ ]', 'the attempt before, and the one after'],
  ['r', 'requeue, or resume'],
  ['c', 'cancel'],
  ['z', 'undo'],
  ['p', 'let the page stand still'],
  ['t', 'change between local time and UTC'],
  ['y', 'copy the address of this page'],
]

/** How long after a g the letter of a page counts. */
const goMs = 1_500

const plain: Readonly<Record<string, () => void>> = {
  p: togglePaused,
  t: toggleZone,
  j: () => moveRow(1),
  k: () => moveRow(-1),
  x: selectRow,
  X: selectRange,
}

interface KeyActions {
  readonly showHelp: () => void
  readonly showPalette: () => void
  /** Where the page has no search of its own. */
  readonly showSearch: () => void
  readonly copyAddress: () => void
  readonly undo: () => void
}

/** Listens for single keys, but not while somebody types, nor where they are switched off. */
export function useKeyboard(keyActions: KeyActions): void {
  const { showHelp, showPalette, showSearch, copyAddress, undo } = keyActions
  const navigate = useNavigate()
  const router = useRouter()
  useEffect(() => {
    let wentAtMs = Number.NEGATIVE_INFINITY
    const go = (key: string): boolean => {
      const place = places.find((one) => one.key === key)
      if (performance.now() - wentAtMs > goMs || place === undefined) return false
      wentAtMs = Number.NEGATIVE_INFINITY
      void navigate({ to: place.to })
      return true
    }
    const actions: Readonly<Record<string, () => void>> = {
      ...plain,
      '?': showHelp,
      '/': () => (focusSearch() ? undefined : showSearch()),
      y: copyAddress,
      z: undo,
    }
    const onKey = (event: KeyboardEvent): void => {
      if (isGoKey(event)) {
        event.preventDefault()
        return showPalette()
      }
      if (isForAnother(event)) return
      const { key } = event
      if (go(key)) return event.preventDefault()
      if (key === 'g') {
        wentAtMs = performance.now()
        return
      }
      const act = actions[key] ?? pressButton(key) ?? (key === 'Escape' ? backFrom(router) : undefined)
      if (act === undefined) return
      event.preventDefault()
      act()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [navigate, router, showHelp, showPalette, showSearch, copyAddress, undo])
}

/** It works in fields too, since nobody types it, but not over a question that waits for its answer. */
function isGoKey({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent): boolean {
  const isIt = key.toLowerCase() === 'k' && ctrlKey !== metaKey && !altKey && !shiftKey
  return isIt && document.querySelector('dialog[open]') === null
}

function isForAnother({ ctrlKey, metaKey, altKey, target, key }: KeyboardEvent): boolean {
  // On many keyboards a bracket takes Alt, or Ctrl and Alt.
  const isBracket = altKey && !metaKey && (key === '[' || key === ']')
  if (keysSetting.get() === 'off' || (!isBracket && (ctrlKey || metaKey || altKey))) return true
  if (!(target instanceof HTMLElement)) return true
  if (target.closest('input:not([type="checkbox"]), textarea, select, dialog') !== null) return true
  if (key === 'Escape' && document.querySelector('dialog[open], :popover-open') !== null) return true
  return key === ' ' && target.closest('button, input, summary, pre') !== null
}

/** Whether the page has a search. */
function focusSearch(): boolean {
  const field = document.querySelector<HTMLInputElement>('[data-search]')
  field?.focus()
  field?.select()
  return field !== null
}

function pressButton(key: string): (() => void) | undefined {
  const selector = `[data-key="${CSS.escape(key)}"]:not(:disabled)`
  const row = document.activeElement?.closest('[data-row]')
  const button = row?.querySelector<HTMLElement>(selector) ?? document.querySelector<HTMLElement>(selector)
  return button === null ? undefined : () => button.click()
}

/** From a page below another one to where somebody came from, or to the page above it. */
function backFrom(router: AnyRouter): (() => void) | undefined {
  const [, list = '', ...below] = router.state.location.pathname.split('/')
  if (below.length === 0) return undefined
  if (router.history.canGoBack()) return () => router.history.back()
  return () => void router.navigate({ to: `/${list}` })
}
