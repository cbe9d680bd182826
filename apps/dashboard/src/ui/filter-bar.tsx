import { Search, X } from 'lucide-react'
import { type SubmitEvent, useId, useState } from 'react'
import { formText } from './form-text.ts'
import styles from './ui.module.css'
import bar from './filter-bar.module.css'

interface FilterBarProps<Name extends string> {
  readonly names: readonly Name[]
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
  values,
  change,
  other,
  placeholder,
}: FilterBarProps<Name>) {
  const id = useId()
  const [fault, setFault] = useState<string>()
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault()
    const form = event.currentTarget
    const text = formText(form, 'filter')
    if (text === '') return
    const [given = '', ...rest] = text.split(':')
    const name = names.find((one) => one === given)
    const value = rest.join(':')
    if (name !== undefined && value !== '') change(name, value)
    const wrong = name !== undefined && value !== '' ? undefined : other(text)
    setFault(wrong)
    if (wrong === undefined) form.reset()
  }
  const chips = names.flatMap((name) => (values[name] === undefined ? [] : [{ name, value: values[name] }]))
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
      {chips.length > 0 && (
        <div className={styles['chips']}>
          {chips.map(({ name, value }) => (
            <button
              key={name}
              type="button"
              className={styles['chip']}
              onClick={() => change(name, undefined)}
            >
              {name}: {value}
              <X size={12} aria-hidden />
              <span className="visually-hidden">, remove</span>
            </button>
          ))}
          <button
            type="button"
            className={styles['chip']}
            onClick={() => chips.forEach(({ name }) => change(name, undefined))}
          >
            Clear filters
          </button>
        </div>
      )}
    </div>
  )
}
