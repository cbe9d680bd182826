import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import { CopyButton } from './copy.tsx'
import { formatInstant } from './format.ts'
import styles from './ui.module.css'

// One card for every instant of the page, and listeners of the document alone: a table of ten thousand rows has twenty thousand instants.

/** What a `Time` is in the document. */
const timeSelector = 'time[role="button"]'
const cardId = 'time-card'
/** So long the pointer rests on an instant before the card comes, and may be elsewhere before it goes. */
const restMs = 300
const edgePixels = 8

function timeAt(target: EventTarget | null): HTMLTimeElement | null {
  return target instanceof Element ? target.closest<HTMLTimeElement>(timeSelector) : null
}

/** An instant in both zones, and as text to copy, beside the one that the pointer rests on, or that has the focus. */
export function TimeCard() {
  const card = useRef<HTMLDivElement>(null)
  const [time, setTime] = useState<HTMLTimeElement>()
  useEffect(() => listen(card, setTime), [])
  useLayoutEffect(() => {
    const shown = card.current
    if (shown === null || time === undefined) return undefined
    shown.showPopover()
    place(shown, time)
    time.setAttribute('aria-describedby', cardId)
    return () => {
      time.removeAttribute('aria-describedby')
      shown.hidePopover()
    }
  }, [time])
  const at = time?.dateTime
  return (
    <div
      ref={card}
      id={cardId}
      popover="manual"
      role="group"
      aria-label="Instant"
      className={styles['timeCard']}
    >
      {at !== undefined && (
        <>
          <span>{formatInstant(at, 'local')}</span>
          <span>{formatInstant(at, 'utc')}</span>
          <CopyButton key={at} text={at}>
            Copy ISO
          </CopyButton>
        </>
      )}
    </div>
  )
}

/** Below the instant, or above it where there is no room. */
function place(card: HTMLElement, time: HTMLElement): void {
  const { left, top, bottom } = time.getBoundingClientRect()
  const { clientWidth, clientHeight } = document.documentElement
  const { offsetWidth, offsetHeight } = card
  const fits = bottom + offsetHeight + edgePixels <= clientHeight
  card.style.left = `${Math.max(edgePixels, Math.min(left, clientWidth - offsetWidth - edgePixels))}px`
  card.style.top = `${fits ? bottom + 4 : Math.max(edgePixels, top - offsetHeight - 4)}px`
}

type Show = (time: HTMLTimeElement | undefined) => void

/** Shows and hides the card. It stays while the focus or the pointer is on the instant or in the card. */
function listen(card: { readonly current: HTMLElement | null }, show: Show): () => void {
  let shown: HTMLTimeElement | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  const turnTo = (time: HTMLTimeElement | undefined): void => {
    clearTimeout(timer)
    shown = time
    show(time)
  }
  const isInCard = (node: EventTarget | null): boolean =>
    node instanceof Node && card.current?.contains(node) === true
  const later = (time: HTMLTimeElement | undefined): void => {
    clearTimeout(timer)
    timer = setTimeout(() => turnTo(time), restMs)
  }
  const onPointer = ({ target, pointerType }: PointerEvent): void => {
    if (pointerType !== 'mouse') return
    const time = timeAt(target)
    const hasFocus = isInCard(document.activeElement) || timeAt(document.activeElement) === shown
    if (time === shown || isInCard(target)) clearTimeout(timer)
    else if (time !== null) later(time)
    else if (shown === undefined || !hasFocus) later(undefined)
  }
  const onFocus = ({ target }: FocusEvent): void => {
    const time = timeAt(target)
    if (time !== null) turnTo(time)
    else if (shown !== undefined && !isInCard(target)) turnTo(undefined)
  }
  const onPress = ({ target }: PointerEvent): void => {
    if (timeAt(target) === null && !isInCard(target)) turnTo(undefined)
  }
  const onKey = (event: KeyboardEvent): void => {
    const time = timeAt(event.target)
    const isPressed = time !== null && (event.key === 'Enter' || event.key === ' ')
    if (!isPressed && (event.key !== 'Escape' || shown === undefined)) return
    // Before the keys of the page, of which these are some.
    event.preventDefault()
    event.stopPropagation()
    if (isPressed) {
      if (shown !== time) turnTo(time)
      return void setTimeout(() => card.current?.querySelector('button')?.focus())
    }
    if (isInCard(document.activeElement)) shown?.focus()
    turnTo(undefined)
  }
  const onScroll = (): void => {
    if (shown !== undefined) turnTo(undefined)
  }
  const closing = new AbortController()
  const options = { signal: closing.signal, capture: true }
  document.addEventListener('pointerover', onPointer, options)
  document.addEventListener('focusin', onFocus, options)
  document.addEventListener('pointerdown', onPress, options)
  document.addEventListener('keydown', onKey, options)
  document.addEventListener('scroll', onScroll, options)
  return () => {
    clearTimeout(timer)
    closing.abort()
  }
}
