import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import { CopyButton } from './copy.tsx'
import { formatInstant } from './format.ts'
import styles from './ui.module.css'

// One card and one set of document listeners for all instants of a page: a table of ten thousand rows has twenty thousand instants.

/** Selects a `Time` component. */
const timeSelector = 'time[role="button"]'
const cardId = 'time-card'
/** How long the pointer must rest on an instant before the card opens, and how long it can leave before the card closes. */
const restMs = 300
const edgePixels = 8

function timeAt(target: EventTarget | null): HTMLTimeElement | null {
  return target instanceof Element ? target.closest<HTMLTimeElement>(timeSelector) : null
}

/** Shows the hovered or focused instant in local time and UTC, with a button that copies it. */
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
      aria-label="Time details"
      className={styles['timeCard']}
    >
      {at !== undefined && (
        <>
          <span>{formatInstant(at, 'local')}</span>
          <span>{formatInstant(at, 'utc')}</span>
          <CopyButton key={at} text={at}>
            Copy ISO 8601
          </CopyButton>
        </>
      )}
    </div>
  )
}

/** Places the card below the instant, or above it if there is no room. */
function place(card: HTMLElement, time: HTMLElement): void {
  const { left, top, bottom } = time.getBoundingClientRect()
  const { clientWidth, clientHeight } = document.documentElement
  const { offsetWidth, offsetHeight } = card
  const fits = bottom + offsetHeight + edgePixels <= clientHeight
  card.style.left = `${Math.max(edgePixels, Math.min(left, clientWidth - offsetWidth - edgePixels))}px`
  card.style.top = `${fits ? bottom + 4 : Math.max(edgePixels, top - offsetHeight - 4)}px`
}

type Show = (time: HTMLTimeElement | undefined) => void

/** Opens and closes the card. It stays open while the instant or the card has the focus or the pointer. */
function listen(card: { readonly current: HTMLElement | null }, show: Show): () => void {
  let shown: HTMLTimeElement | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  const showNow = (time: HTMLTimeElement | undefined): void => {
    clearTimeout(timer)
    shown = time
    show(time)
  }
  const isInCard = (node: EventTarget | null): boolean =>
    node instanceof Node && card.current?.contains(node) === true
  const showLater = (time: HTMLTimeElement | undefined): void => {
    clearTimeout(timer)
    timer = setTimeout(() => showNow(time), restMs)
  }
  const onPointer = ({ target, pointerType }: PointerEvent): void => {
    if (pointerType !== 'mouse') return
    const time = timeAt(target)
    const hasFocus = isInCard(document.activeElement) || timeAt(document.activeElement) === shown
    if (time === shown || isInCard(target)) clearTimeout(timer)
    else if (time !== null) showLater(time)
    else if (shown === undefined || !hasFocus) showLater(undefined)
  }
  const onFocus = ({ target }: FocusEvent): void => {
    const time = timeAt(target)
    if (time !== null) showNow(time)
    else if (shown !== undefined && !isInCard(target)) showNow(undefined)
  }
  const onPress = ({ target }: PointerEvent): void => {
    if (timeAt(target) === null && !isInCard(target)) showNow(undefined)
  }
  const onKey = (event: KeyboardEvent): void => {
    const time = timeAt(event.target)
    const isPressed = time !== null && (event.key === 'Enter' || event.key === ' ')
    if (!isPressed && (event.key !== 'Escape' || shown === undefined)) return
    // Runs before the keyboard shortcuts of the page, which use these keys too.
    event.preventDefault()
    event.stopPropagation()
    if (isPressed) {
      if (shown !== time) showNow(time)
      return void setTimeout(() => card.current?.querySelector('button')?.focus())
    }
    if (isInCard(document.activeElement)) shown?.focus()
    showNow(undefined)
  }
  const onScroll = (): void => {
    if (shown !== undefined) showNow(undefined)
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
