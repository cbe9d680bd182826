import { Search } from 'lucide-react'
import { type KeyboardEvent, useEffect, useEffectEvent, useId, useRef, useState } from 'react'
import { type Fields, faultOf } from '../finding/fields.ts'
import { keyOf } from '../finding/places.ts'
import type { Suggestion } from '../finding/suggest.ts'
import { useWritten } from '../finding/use-written.ts'
import styles from './search-field.module.css'
import ui from './ui.module.css'

interface SearchFieldProps<Name extends string> {
  readonly label: string
  readonly placeholder: string
  readonly fields: Fields<Name>
  /** Does what somebody has chosen, or what Enter takes. Gives what is wrong with it. */
  readonly choose: (chosen: Exclude<Suggestion<Name>, { does: 'write' }>) => string | undefined
  /** What fields there are, for a text that means nothing. */
  readonly hint: string
  /** Backspace in the empty field. */
  readonly erase?: () => void
  /** Whether it is the search of its page, which `/` goes to, or that of a dialog, which begins with it. */
  readonly place: 'page' | 'dialog'
}

/**
 * A field that says below itself what its text may mean. Up and down choose, and Enter takes the option that is shown as chosen. Where
 * none can be shown before the values are read, Enter waits for them, until the text changes or somebody presses Escape.
 */
export function SearchField<Name extends string>({
  label,
  placeholder,
  fields,
  choose,
  hint,
  erase,
  place,
}: SearchFieldProps<Name>) {
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  const [isOpen, setIsOpen] = useState(false)
  const [fault, setFault] = useState<string>()
  const written = useWritten(fields)
  const { text, options, currentAt, isWaiting, isDue } = written
  const shown = isOpen ? options : []
  const write = (next: string): void => {
    written.write(next)
    setIsOpen(true)
    setFault(undefined)
  }
  const take = (suggestion: Suggestion<Name>): void => {
    if (suggestion.does === 'write') {
      write(suggestion.text)
      return input.current?.focus()
    }
    const wrong = choose(suggestion)
    setFault(wrong)
    if (wrong !== undefined) return
    written.write('')
    setIsOpen(false)
    // So that the keys of the list work: the field takes whatever is typed. Whoever has left the field meanwhile stays there.
    if (place === 'page' && document.activeElement === input.current)
      document.querySelector<HTMLElement>('h1')?.focus()
  }
  const carryOut = (): void => {
    written.setEntered(false)
    const chosen = options[currentAt]
    if (chosen !== undefined) take(chosen)
    else if (text.trim() !== '')
      setFault(`${faultOf(fields, text) ?? `Nothing here is called ${text.trim()}.`} ${hint}`)
  }
  const carryOutWhenDue = useEffectEvent(carryOut)
  useEffect(() => {
    if (isDue) carryOutWhenDue()
  }, [isDue])
  const submit = (): void => {
    if (isWaiting) written.setEntered(true)
    else if (shown.length === 0 && options[currentAt] !== undefined) setIsOpen(true)
    else carryOut()
  }
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>): void => {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'Escape') written.setEntered(false)
    const next = nextOf(event.key, { at: currentAt, count: shown.length })
    if (next !== undefined) written.moveTo(next)
    else if (event.key === 'ArrowDown' && !isOpen) setIsOpen(true)
    else if (event.key === 'Enter') submit()
    else if (event.key === 'Backspace' && text === '' && !event.repeat) return erase?.()
    else if (event.key !== 'Escape' || (place === 'dialog' && !isOpen)) return
    else if (shown.length > 0) setIsOpen(false)
    else if (place === 'page') event.currentTarget.blur()
    else return
    event.preventDefault()
  }
  return (
    <div className={styles['field']} data-place={place} role={place === 'page' ? 'search' : undefined}>
      <Search size={16} aria-hidden />
      <input
        ref={input}
        role="combobox"
        aria-label={label}
        aria-expanded={shown.length > 0}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={shown[currentAt] === undefined ? undefined : `${id}-${currentAt}`}
        aria-describedby={`${id}-fault`}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        enterKeyHint="search"
        data-search={place === 'page' ? '' : undefined}
        data-first={place === 'dialog' ? '' : undefined}
        placeholder={placeholder}
        className={ui['input']}
        value={text}
        onChange={(event) => write(event.target.value)}
        onKeyDown={onKeyDown}
        onBlur={() => setIsOpen(false)}
      />
      <ul
        id={`${id}-list`}
        role="listbox"
        aria-label="What it may mean"
        className={styles['list']}
        hidden={shown.length === 0}
      >
        {shown.map((suggestion, index) => (
          <Option
            key={keyOf(fields, suggestion)}
            id={`${id}-${index}`}
            suggestion={suggestion}
            isCurrent={index === currentAt}
            take={take}
          />
        ))}
      </ul>
      <div id={`${id}-fault`} className={ui[fault === undefined ? 'hint' : 'fault']} role="status">
        {fault ?? (isWaiting && 'Reading what there is…')}
      </div>
    </div>
  )
}

interface OptionProps<Name extends string> {
  readonly id: string
  readonly suggestion: Suggestion<Name>
  readonly isCurrent: boolean
  readonly take: (suggestion: Suggestion<Name>) => void
}

/** The keys are those of the field, which keeps the focus. */
function Option<Name extends string>({ id, suggestion, isCurrent, take }: OptionProps<Name>) {
  const ref = useRef<HTMLLIElement>(null)
  useEffect(() => {
    if (isCurrent) ref.current?.scrollIntoView({ block: 'nearest' })
  }, [isCurrent])
  return (
    <li
      ref={ref}
      id={id}
      role="option"
      aria-selected={isCurrent}
      onPointerDown={(event) => event.preventDefault()}
      onClick={() => take(suggestion)}
    >
      <Meaning suggestion={suggestion} />
    </li>
  )
}

function Meaning<Name extends string>({ suggestion }: Pick<OptionProps<Name>, 'suggestion'>) {
  if (suggestion.does === 'open') return <>open job {suggestion.jobId}</>
  if (suggestion.does === 'write') return <>{suggestion.name}:…</>
  return suggestion.filters.map(({ name, value }) => (
    <span key={name}>
      <span className={ui['muted']}>{name}: </span>
      <bdi>{value}</bdi>
    </span>
  ))
}

/** The option that a key leads to; undefined: the key is for something else. */
function nextOf(key: string, { at, count }: { readonly at: number; readonly count: number }) {
  if (count === 0) return undefined
  if (key === 'ArrowDown') return (at + 1) % count
  if (key === 'ArrowUp') return (Math.max(at, 0) - 1 + count) % count
  return undefined
}
