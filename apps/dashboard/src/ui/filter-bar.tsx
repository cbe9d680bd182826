import { X } from 'lucide-react'
import { type Fields, type Filter, withFilters } from '../finding/fields.ts'
import { SearchField } from './search-field.tsx'
import styles from './ui.module.css'
import bar from './filter-bar.module.css'

interface FilterBarProps<Name extends string> extends Fields<Name> {
  readonly values: Readonly<Partial<Record<Name, string | undefined>>>
  /** Sets a filter, or removes it if the value is absent. */
  readonly change: (name: Name, value: string | undefined) => void
  /** Sets several filters in one navigation. */
  readonly changeAll?: (changes: Readonly<Partial<Record<Name, string | undefined>>>) => void
  /** The help text for an input without a meaning. */
  readonly help: (text: string) => string
  /** Opens a job by its id. */
  readonly openJob?: (id: string) => void
  readonly placeholder: string
}

/** A search field that takes `name:value`, and the active filters as chips that can be removed. */
export function FilterBar<Name extends string>({
  values,
  change,
  changeAll = (changes) => {
    for (const [name, value] of Object.entries(changes)) change(name as Name, value as string | undefined)
  },
  help,
  openJob,
  placeholder,
  ...fields
}: FilterBarProps<Name>) {
  const { names, memberPrefix, several = [] } = fields
  const isName = (text: string): text is Name =>
    (names as readonly string[]).includes(text) ||
    (memberPrefix !== undefined && text.startsWith(memberPrefix))
  const valuesOf = (name: Name): readonly string[] => {
    const value = values[name]
    if (value === undefined) return []
    return several.includes(name) ? value.split(',') : [value]
  }
  const chips = Object.keys(values)
    .filter(isName)
    .flatMap((name) => valuesOf(name).map((value) => ({ name, value })))
  const remove = ({ name, value }: Filter<Name>): void => {
    const others = valuesOf(name).filter((other) => other !== value)
    change(name, others.length === 0 ? undefined : others.join(','))
  }
  const clear = (): void => {
    const none = chips.map(({ name }) => [name, undefined])
    changeAll(Object.fromEntries(none) as Partial<Record<Name, undefined>>)
  }
  return (
    <div className={bar['bar']}>
      <SearchField
        label="Filter"
        place="page"
        placeholder={placeholder}
        fields={fields}
        hint={help('')}
        choose={(chosen) => {
          if (chosen.does === 'filter') changeAll(withFilters(fields, values, chosen.filters))
          else if (openJob === undefined) return help(chosen.jobId)
          else openJob(chosen.jobId)
          return undefined
        }}
        erase={() => {
          const last = chips.at(-1)
          if (last !== undefined) remove(last)
        }}
      />
      {chips.length > 0 && <Chips filters={chips} remove={remove} clear={clear} />}
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
          className={`${styles['chip']} ${bar['chip']}`}
          onClick={() => remove(filter)}
        >
          <span>
            {filter.name}: <bdi>{filter.value}</bdi>
          </span>
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
