import { Search, X } from 'lucide-react'
import { type SubmitEvent, useId, useState } from 'react'
import { formText } from './form-text.ts'
import styles from './ui.module.css'
import bar from './filter-bar.module.css'

interface FilterBarProps<Name extends string> {
  readonly names: readonly Name[]
  /** What begins the name of a filter whose names are not known before, such as `metadata.`. */
  readonly memberPrefix?: string
  /** The filters that a value without a name may be of. */
  readonly offer?: (text: string) => readonly Name[]
  /** Those that several values can be given of, with commas between: a value is added to the others. */
  readonly several?: readonly Name[]
  readonly values: Readonly<Partial<Record<Name, string | undefined>>>
  /** An absent value takes the filter away. */
  readonly change: (name: Name, value: string | undefined) => void
  /** What becomes of a text that names no filter. Gives what is wrong with it. */
  readonly other: (text: string) => string | undefined
  readonly placeholder: string
}

/** A field that takes `name:value`, and the filters that hold as chips, each of which can be taken away. */
export function FilterBar<Name extends string>({
  names,
  memberPrefix,
  offer,
  several = [],
  values,
  change,
  other,
  placeholder,
}: FilterBarProps<Name>) {
  const id = useId()
  const [fault, setFault] = useState<string>()
  const [offered, setOffered] = useState<readonly Filter<Name>[]>([])
  const isName = (given: string): given is Name =>
    (names as readonly string[]).includes(given) ||
    (memberPrefix !== undefined && given.startsWith(memberPrefix) && given !== memberPrefix)
  const partsOf = (name: Name): string[] => {
    const value = values[name]
    if (value === undefined) return []
    return several.includes(name) ? value.split(',') : [value]
  }
  const remove = ({ name, value }: Filter<Name>): void => {
    const others = partsOf(name).filter((part) => part !== value)
    change(name, others.length === 0 ? undefined : others.join(','))
  }
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault()
    const form = event.currentTarget
    const text = formText(form, 'filter')
    if (text === '') return
    const [given = '', ...rest] = text.split(':')
    const value = rest.join(':')
    const isFilter = isName(given) && value !== ''
    const offers = isFilter ? [] : (offer?.(text) ?? [])
    setOffered(offers.map((name) => ({ name, value: text })))
    if (isFilter) change(given, several.includes(given) ? [...partsOf(given), value].join(',') : value)
    const wrong = isFilter || offers.length > 0 ? undefined : other(text)
    setFault(wrong)
    if (wrong === undefined) form.reset()
  }
  const choose = ({ name, value }: Filter<Name>): void => {
    setOffered([])
    change(name, value)
  }
  const chips = Object.keys(values)
    .filter(isName)
    .flatMap((name) => partsOf(name).map((value) => ({ name, value })))
  const clear = (): void => {
    for (const name of new Set(chips.map((chip) => chip.name))) change(name, undefined)
  }
  return (
    <div className={bar['bar']}>
      <form className={bar['search']} role="search" onSubmit={submit}>
        <Search size={16} aria-hidden />
        <label htmlFor={id} className="visually-hidden">
          Filter
        </label>
        <input
          id={id}
          name="filter"
          list={`${id}-names`}
          autoComplete="off"
          spellCheck={false}
          data-search
          placeholder={placeholder}
          className={styles['input']}
          aria-describedby={`${id}-fault`}
          onKeyDown={(event) => event.key === 'Escape' && event.currentTarget.blur()}
        />
        <datalist id={`${id}-names`}>
          {names.map((name) => (
            <option key={name} value={`${name}:`} />
          ))}
        </datalist>
      </form>
      <div id={`${id}-fault`} className={styles['fault']} role="status">
        {fault}
      </div>
      {offered.length > 0 && <Offers filters={offered} choose={choose} />}
      {chips.length > 0 && <Chips filters={chips} remove={remove} clear={clear} />}
    </div>
  )
}

interface Filter<Name extends string> {
  readonly name: Name
  readonly value: string
}

interface OffersProps<Name extends string> {
  readonly filters: readonly Filter<Name>[]
  readonly choose: (filter: Filter<Name>) => void
}

/** What a value without a name may mean. The first is chosen by Enter. */
function Offers<Name extends string>({ filters, choose }: OffersProps<Name>) {
  return (
    <div className={styles['chips']} role="group" aria-label="Search for">
      <span className={styles['hint']}>Search for</span>
      {filters.map((filter, index) => (
        <button
          key={filter.name}
          type="button"
          className={styles['chip']}
          autoFocus={index === 0}
          onClick={() => choose(filter)}
        >
          {filter.name}: {filter.value}
        </button>
      ))}
    </div>
  )
}

interface ChipsProps<Name extends string> {
  readonly filters: readonly Filter<Name>[]
  readonly remove: (filter: Filter<Name>) => void
  readonly clear: () => void
}

function Chips<Name extends string>({ filters, remove, clear }: ChipsProps<Name>) {
  return (
    <div className={styles['chips']}>
      {filters.map((filter) => (
        <button
          key={`${filter.name}:${filter.value}`}
          type="button"
          className={styles['chip']}
          onClick={() => remove(filter)}
        >
          {filter.name}: {filter.value}
          <X size={12} aria-hidden />
          <span className="visually-hidden">, remove</span>
        </button>
      ))}
      <button type="button" className={styles['chip']} onClick={clear}>
        Clear filters
      </button>
    </div>
  )
}
