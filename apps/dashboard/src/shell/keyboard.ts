import { type AnyRouter, useNavigate, useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { keysSetting, togglePaused, toggleZone } from './live.ts'
import { places } from './navigation.ts'
import { moveRow, selectRange, selectRow } from './rows.ts'

const pageKeys = places.map(({ key }) => key).join(' ')
const pageNames = places.map(({ name }) => name.toLowerCase()).join(', ')

/** The name of the shortcut for the palette on this operating system. */
export const goKey = navigator.userAgent.includes('Mac') ? '⌘K' : 'Ctrl K'

/** All shortcuts. A button with `data-key` is pressed by that key; buttons of the focused row come first. */
export const keyHelp: readonly (readonly [string, string])[] = [
  [goKey, 'Go to a page, queue, kind or schedule, or to a job by its id'],
  ['/', 'Search this page, or all jobs if it has no search field'],
  ['?', 'Show this help'],
  [`g then ${pageKeys}`, `Go to ${pageNames}`],
  ['j k', 'Next and previous row'],
  ['Enter', 'Open the row'],
  ['x', 'Select the row'],
  ['Shift x', 'Select all rows from the last selected one'],
  ['a', 'Act on all matches'],
  ['Space', 'Preview the row'],
  ['Esc', 'Close the preview, or go back'],
  ['.', 'Show newer rows'],
  ['[ ]', 'Previous and next attempt'],
  ['r', 'Requeue or resume'],
  ['c', 'Cancel'],
  ['z', 'Undo'],
  ['p', 'Pause live updates'],
  ['t', 'Switch between local time and UTC'],
  ['y', 'Copy the link to this page'],
]

/** How long after `g` the letter of a page is accepted. */
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
  /** Called if the page has no search field. */
  readonly showSearch: () => void
  readonly copyAddress: () => void
  readonly undo: () => void
}

/** Handles the keyboard shortcuts. Single keys are ignored while the user types, and if they are turned off. */
export function useKeyboard(keyActions: KeyActions): void {
  const { showHelp, showPalette, showSearch, copyAddress, undo } = keyActions
  const navigate = useNavigate()
  const router = useRouter()
  useEffect(() => {
    let goPressedAtMs = Number.NEGATIVE_INFINITY
    const go = (key: string): boolean => {
      const place = places.find((one) => one.key === key)
      if (performance.now() - goPressedAtMs > goMs || place === undefined) return false
      goPressedAtMs = Number.NEGATIVE_INFINITY
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
      if (isIgnored(event)) return
      const { key } = event
      if (go(key)) return event.preventDefault()
      if (key === 'g') {
        goPressedAtMs = performance.now()
        return
      }
      const run = actions[key] ?? pressButton(key) ?? (key === 'Escape' ? backFrom(router) : undefined)
      if (run === undefined) return
      event.preventDefault()
      run()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [navigate, router, showHelp, showPalette, showSearch, copyAddress, undo])
}

/** It also works in input fields, because it types nothing, but not while a dialog is open. */
function isGoKey({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent): boolean {
  const isShortcut = key.toLowerCase() === 'k' && ctrlKey !== metaKey && !altKey && !shiftKey
  return isShortcut && document.querySelector('dialog[open]') === null
}

function isIgnored({ ctrlKey, metaKey, altKey, target, key }: KeyboardEvent): boolean {
  // On many keyboard layouts, brackets need Alt, or Ctrl and Alt.
  const isBracket = altKey && !metaKey && (key === '[' || key === ']')
  if (keysSetting.get() === 'off' || (!isBracket && (ctrlKey || metaKey || altKey))) return true
  if (!(target instanceof HTMLElement)) return true
  if (target.closest('input:not([type="checkbox"]), textarea, select, dialog') !== null) return true
  if (key === 'Escape' && document.querySelector('dialog[open], :popover-open') !== null) return true
  return key === ' ' && target.closest('button, input, summary, pre') !== null
}

/** Focuses the search field of the page. Returns whether there is one. */
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

/** From a detail page back in the history, or to its list. */
function backFrom(router: AnyRouter): (() => void) | undefined {
  const [, list = '', ...below] = router.state.location.pathname.split('/')
  if (below.length === 0) return undefined
  if (router.history.canGoBack()) return () => router.history.back()
  return () => void router.navigate({ to: `/${list}` })
}
