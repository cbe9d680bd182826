import { Search } from 'lucide-react'
import { type KeyboardEvent, useEffect, useEffectEvent, useId, useRef, useState } from 'react'
import { type Fields, faultOf } from '../finding/fields.ts'
import { keyOf } from '../finding/places.ts'
import type { Suggestion } from '../finding/suggest.ts'
import { useSearchText } from '../finding/use-search-text.ts'
import styles from './search-field.module.css'
import ui from './ui.module.css'

interface SearchFieldProps<Name extends string> {
  readonly label: string
  readonly placeholder: string
  readonly fields: Fields<Name>
  /** Applies the chosen suggestion. Returns an error message if it cannot. */
  readonly choose: (chosen: Exclude<Suggestion<Name>, { does: 'write' }>) => string | undefined
  /** The available fields, shown for a text without a meaning. */
  readonly hint: string
  /** Called for Backspace in the empty field. */
  readonly erase?: () => void
  /** `page`: the search of a page, which `/` focuses. `dialog`: the first field of a dialog. */
  readonly place: 'page' | 'dialog'
}

/**
 * A field that lists suggestions for its text. The arrow keys move between them, and Enter applies the selected one. If there is
 * none before the values are loaded, Enter waits for them, until the text changes or the user presses Escape.
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
  const inputRef = useRef<HTMLInputElement>(null)
  const [isOpen, setIsOpen] = useState(false)
  const [fault, setFault] = useState<string>()
  const input = useSearchText(fields)
  const { text, options, currentAt, isWaiting, isDue } = input
  const shown = isOpen ? options : []
  const write = (next: string): void => {
    input.write(next)
    setIsOpen(true)
    setFault(undefined)
  }
  const apply = (suggestion: Suggestion<Name>): void => {
    if (suggestion.does === 'write') {
      write(suggestion.text)
      return inputRef.current?.focus()
    }
    const message = choose(suggestion)
    setFault(message)
    if (message !== undefined) return
    input.write('')
    setIsOpen(false)
    // Leaves the field, so that the single keys of the list work. The user may have left it already.
    if (place === 'page' && document.activeElement === inputRef.current)
      document.querySelector<HTMLElement>('h1')?.focus()
  }
  const applyCurrent = (): void => {
    input.setEntered(false)
    const chosen = options[currentAt]
    if (chosen !== undefined) apply(chosen)
    else if (text.trim() !== '')
      setFault(`${faultOf(fields, text) ?? `No match for ${text.trim()}.`} ${hint}`)
  }
  const applyWhenDue = useEffectEvent(applyCurrent)
  useEffect(() => {
    if (isDue) applyWhenDue()
  }, [isDue])
  const submit = (): void => {
    if (isWaiting) input.setEntered(true)
    else if (shown.length === 0 && options[currentAt] !== undefined) setIsOpen(true)
    else applyCurrent()
  }
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>): void => {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'Escape') input.setEntered(false)
    const next = nextOf(event.key, { at: currentAt, count: shown.length })
    if (next !== undefined) input.moveTo(next)
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
        ref={inputRef}
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
        aria-label="Suggestions"
        className={styles['list']}
        hidden={shown.length === 0}
      >
        {shown.map((suggestion, index) => (
          <Option
            key={keyOf(fields, suggestion)}
            id={`${id}-${index}`}
            suggestion={suggestion}
            isCurrent={index === currentAt}
            apply={apply}
          />
        ))}
      </ul>
      <div id={`${id}-fault`} className={ui[fault === undefined ? 'hint' : 'fault']} role="status">
        {fault ?? (isWaiting && 'Loading suggestions…')}
      </div>
    </div>
  )
}

interface OptionProps<Name extends string> {
  readonly id: string
  readonly suggestion: Suggestion<Name>
  readonly isCurrent: boolean
  readonly apply: (suggestion: Suggestion<Name>) => void
}

/** The field keeps the focus and handles the keys. */
function Option<Name extends string>({ id, suggestion, isCurrent, apply }: OptionProps<Name>) {
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
      onClick={() => apply(suggestion)}
    >
      <Meaning suggestion={suggestion} />
    </li>
  )
}

function Meaning<Name extends string>({ suggestion }: Pick<OptionProps<Name>, 'suggestion'>) {
  if (suggestion.does === 'open') return <>Open job {suggestion.jobId}</>
  if (suggestion.does === 'write') return <>{suggestion.name}:…</>
  return suggestion.filters.map(({ name, value }) => (
    <span key={name}>
      <span className={ui['muted']}>{name}: </span>
      <bdi>{value}</bdi>
    </span>
  ))
}

/** The option that a key moves to; undefined if the key does not move. */
function nextOf(key: string, { at, count }: { readonly at: number; readonly count: number }) {
  if (count === 0) return undefined
  if (key === 'ArrowDown') return (at + 1) % count
  if (key === 'ArrowUp') return (Math.max(at, 0) - 1 + count) % count
  return undefined
}
