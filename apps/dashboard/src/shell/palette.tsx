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

/** Finds pages, queues, kinds and schedules by their names, and a job by its id. */
export function Palette({ close }: { readonly close: () => void }) {
  const id = useId()
  const navigate = useNavigate()
  const targets = useTargets()
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const found = targetOfId(text) ?? bestTargets(targets, text)
  const currentAt = Math.min(at, found.length - 1)
  const current = found[currentAt]
  const go = (target: Target | undefined): void => {
    if (target === undefined) return
    close()
    void navigate(target.to)
  }
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>): void => {
    const next = nextOf(event.key, { at: currentAt, count: found.length })
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
          aria-expanded={found.length > 0}
          aria-controls={`${id}-list`}
          aria-autocomplete="list"
          aria-activedescendant={current === undefined ? undefined : `${id}-${currentAt}`}
          autoComplete="off"
          spellCheck={false}
          data-first
          placeholder="A page, a queue, a kind, a schedule, or the id of a job"
          value={text}
          onChange={(event) => {
            setText(event.target.value)
            setAt(0)
          }}
          onKeyDown={onKeyDown}
        />
      </div>
      <ul id={`${id}-list`} role="listbox" aria-label="Where to" className={styles['list']}>
        {found.map((target, index) => (
          <Option
            key={target.name}
            id={`${id}-${index}`}
            target={target}
            isCurrent={target === current}
            go={go}
          />
        ))}
      </ul>
      <p role="status" className={ui['hint']}>
        {found.length === 0 ? 'Nothing here is called so.' : 'Up and down choose, Enter goes there.'}
      </p>
    </Dialog>
  )
}

/** The keys are those of the field, which keeps the focus. */
interface OptionProps {
  readonly id: string
  readonly target: Target
  readonly isCurrent: boolean
  readonly go: (target: Target) => void
}

function Option({ id, target, isCurrent, go }: OptionProps) {
  const ref = useRef<HTMLLIElement>(null)
  useEffect(() => {
    if (isCurrent) ref.current?.scrollIntoView({ block: 'nearest' })
  }, [isCurrent])
  return (
    <li ref={ref} id={id} role="option" aria-selected={isCurrent} onClick={() => go(target)}>
      <span>{target.title}</span>
      <span className={ui['muted']}>{target.what}</span>
    </li>
  )
}

/** The option that a key leads to; undefined: the key is for something else. */
function nextOf(key: string, { at, count }: { readonly at: number; readonly count: number }) {
  if (count === 0) return undefined
  if (key === 'ArrowDown') return (at + 1) % count
  if (key === 'ArrowUp') return (at - 1 + count) % count
  if (key === 'PageDown') return Math.min(at + 10, count - 1)
  if (key === 'PageUp') return Math.max(at - 10, 0)
  return undefined
}

/** All that whoever looks may go to. */
function useTargets(): readonly Target[] {
  const may = useMay()
  const places = usePlaces()
  const queues = useQuery({ ...queries.queues, enabled: may('jobs:read') })
  const kinds = useQuery({ ...queries.kinds, enabled: may('kinds:read') })
  const schedules = useQuery({ ...queries.schedules, enabled: may('schedules:read') })
  return [
    ...places.map(({ to, name }): Target => ({ name: `page-${to}`, title: name, what: 'page', to: { to } })),
    ...(queues.data ?? []).map(
      ({ name }): Target => ({
        name: `queue-${name}`,
        title: name,
        what: 'queue',
        to: { to: '/queues/$name', params: { name } },
      }),
    ),
    ...(kinds.data ?? []).map(
      ({ kind }): Target => ({
        name: `kind-${kind}`,
        title: kind,
        what: 'kind',
        to: { to: '/kinds/$kind', params: { kind } },
      }),
    ),
    ...(schedules.data ?? []).map(
      ({ name }): Target => ({
        name: `schedule-${name}`,
        title: name,
        what: 'schedule',
        to: { to: '/schedules/$name', params: { name } },
      }),
    ),
  ]
}
