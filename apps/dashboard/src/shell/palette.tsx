import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Search } from 'lucide-react'
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { queries } from '../api/queries.ts'
import { Dialog } from '../ui/dialog.tsx'
import ui from '../ui/ui.module.css'
import { useMay } from './me.tsx'
import { usePlaces } from './navigation.ts'
import { bestTargets, type Target, targetOfId } from './palette-targets.ts'
import styles from './palette.module.css'

/** Finds pages, queues, kinds and schedules by name, and jobs by id. */
export function Palette({ close }: { readonly close: () => void }) {
  const id = useId()
  const navigate = useNavigate()
  const targets = useTargets()
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const results = targetOfId(text) ?? bestTargets(targets, text)
  const currentAt = Math.min(at, results.length - 1)
  const current = results[currentAt]
  const go = (target: Target | undefined): void => {
    if (target === undefined) return
    close()
    void navigate(target.to)
  }
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>): void => {
    const next = nextOf(event.key, { at: currentAt, count: results.length })
    if (next !== undefined) setAt(next)
    else if (event.key === 'Enter') go(current)
    else return
    event.preventDefault()
  }
  return (
    <Dialog title="Go to" close={close}>
      <div className={styles['field']}>
        <Search size={16} aria-hidden />
        <input
          className={ui['input']}
          role="combobox"
          aria-label="Go to"
          aria-expanded={results.length > 0}
          aria-controls={`${id}-list`}
          aria-autocomplete="list"
          aria-activedescendant={current === undefined ? undefined : `${id}-${currentAt}`}
          autoComplete="off"
          spellCheck={false}
          data-first
          placeholder="Page, queue, kind, schedule or job id"
          value={text}
          onChange={(event) => {
            setText(event.target.value)
            setAt(0)
          }}
          onKeyDown={onKeyDown}
        />
      </div>
      <ul id={`${id}-list`} role="listbox" aria-label="Results" className={styles['list']}>
        {results.map((target, index) => (
          <Option
            key={target.id}
            id={`${id}-${index}`}
            target={target}
            isCurrent={target === current}
            go={go}
          />
        ))}
      </ul>
      <p role="status" className={ui['hint']}>
        {results.length === 0 ? 'No results.' : '↑ and ↓ select, Enter opens.'}
      </p>
    </Dialog>
  )
}

interface OptionProps {
  readonly id: string
  readonly target: Target
  readonly isCurrent: boolean
  readonly go: (target: Target) => void
}

/** The field keeps the focus and handles the keys. */
function Option({ id, target, isCurrent, go }: OptionProps) {
  const ref = useRef<HTMLLIElement>(null)
  useEffect(() => {
    if (isCurrent) ref.current?.scrollIntoView({ block: 'nearest' })
  }, [isCurrent])
  return (
    <li ref={ref} id={id} role="option" aria-selected={isCurrent} onClick={() => go(target)}>
      <span>{target.title}</span>
      <span className={ui['muted']}>{target.type}</span>
    </li>
  )
}

/** The option that a key moves to; undefined if the key does not move. */
function nextOf(key: string, { at, count }: { readonly at: number; readonly count: number }) {
  if (count === 0) return undefined
  if (key === 'ArrowDown') return (at + 1) % count
  if (key === 'ArrowUp') return (at - 1 + count) % count
  if (key === 'PageDown') return Math.min(at + 10, count - 1)
  if (key === 'PageUp') return Math.max(at - 10, 0)
  return undefined
}

/** All targets that the caller has permission to see. */
function useTargets(): readonly Target[] {
  const may = useMay()
  const places = usePlaces()
  const queues = useQuery({ ...queries.queues, enabled: may('jobs:read') })
  const kinds = useQuery({ ...queries.kinds, enabled: may('kinds:read') })
  const schedules = useQuery({ ...queries.schedules, enabled: may('schedules:read') })
  return [
    ...places.map(({ to, name }): Target => ({ id: `page-${to}`, title: name, type: 'page', to: { to } })),
    ...(queues.data ?? []).map(
      ({ name }): Target => ({
        id: `queue-${name}`,
        title: name,
        type: 'queue',
        to: { to: '/queues/$name', params: { name } },
      }),
    ),
    ...(kinds.data ?? []).map(
      ({ kind }): Target => ({
        id: `kind-${kind}`,
        title: kind,
        type: 'kind',
        to: { to: '/kinds/$kind', params: { kind } },
      }),
    ),
    ...(schedules.data ?? []).map(
      ({ name }): Target => ({
        id: `schedule-${name}`,
        title: name,
        type: 'schedule',
        to: { to: '/schedules/$name', params: { name } },
      }),
    ),
  ]
}
