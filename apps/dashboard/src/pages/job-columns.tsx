import { Link } from '@tanstack/react-router'
import { Columns3 } from 'lucide-react'
import { type ReactNode, useMemo } from 'react'
import type { Job } from '@queue/client'
import { useWorkerVersions, type WorkerVersions } from '../api/worker-versions.ts'
import { type JobSearch, listOf, metadataPrefix } from '../search.ts'
import { type Permission, useMay } from '../shell/me.tsx'
import { Menu } from '../ui/menu.tsx'
import ui from '../ui/ui.module.css'
import styles from './jobs.module.css'

/** A column of the list of jobs that is shown where somebody asks for it. */
export interface JobColumn {
  /** As the address has it. */
  readonly name: string
  readonly title: string
  readonly cell: (job: Job) => ReactNode
}

const payloadPrefix = 'payload.'

interface Offered {
  readonly title: string
  /** What one has to be permitted to see it. */
  readonly permission?: Permission
  readonly cell: (job: Job, versions: WorkerVersions) => ReactNode
}

/** Beside these: `metadata.order_id`, and `payload.to` for who may read payloads. */
const offered: Readonly<Record<string, Offered>> = {
  tenant: { title: 'Tenant', cell: ({ tenant_id: tenant }) => <FilterLink name="tenant" value={tenant} /> },
  key: { title: 'Key', cell: ({ key }) => <KeyCell value={key} /> },
  priority: { title: 'Priority', cell: ({ priority }) => priority },
  weight: { title: 'Weight', cell: ({ weight }) => weight },
  worker: { title: 'Worker', cell: ({ locked_by: worker }) => <FilterLink name="worker" value={worker} /> },
  version: {
    title: 'Version',
    permission: 'ops:read',
    cell: ({ locked_by: worker }, versions) => (worker === null ? '' : versions.get(worker)),
  },
}

interface FilterLinkProps {
  readonly name: 'tenant' | 'worker' | 'key'
  readonly value: string | null
}

/** A value that filters the list by itself. */
function FilterLink({ name, value }: FilterLinkProps) {
  if (value === null) return ''
  return (
    <Link to="/jobs" search={(before: JobSearch) => ({ ...before, [name]: value })}>
      {value}
    </Link>
  )
}

/** Whoever does not see keys cannot filter by one. */
function KeyCell({ value }: Pick<FilterLinkProps, 'value'>) {
  return useMay()('payload:read') ? <FilterLink name="key" value={value} /> : value
}

/** The columns that the address asks for, as far as whoever looks may see them. */
export function useJobColumns(cols: string | undefined): readonly JobColumn[] {
  const may = useMay()
  const names = listOf(cols)
  const versions = useWorkerVersions(names.includes('version'))
  const shown = names.filter((name) => isOffered(name, may)).join(',')
  return useMemo(() => listOf(shown).map((name) => columnOf(name, versions)), [shown, versions])
}

function isOffered(name: string, may: ReturnType<typeof useMay>): boolean {
  if (name.startsWith(metadataPrefix)) return true
  if (name.startsWith(payloadPrefix)) return may('payload:read')
  const column = offered[name]
  return column !== undefined && (column.permission === undefined || may(column.permission))
}

function columnOf(name: string, versions: WorkerVersions): JobColumn {
  const column = offered[name]
  if (column !== undefined) return { name, title: column.title, cell: (job) => column.cell(job, versions) }
  const isMetadata = name.startsWith(metadataPrefix)
  const member = name.slice(isMetadata ? metadataPrefix.length : payloadPrefix.length)
  return {
    name,
    title: member,
    cell: (job) => textOf(memberOf(isMetadata ? job.metadata : job.payload, member)),
  }
}

function memberOf(document: unknown, name: string): unknown {
  if (typeof document !== 'object' || document === null || !Object.hasOwn(document, name)) return undefined
  return (document as Readonly<Record<string, unknown>>)[name]
}

/** A long value is cut off by its style, and need not be in the page as a whole. */
const cellLengthMax = 200

function textOf(value: unknown): string {
  if (value === undefined) return ''
  return (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, cellLengthMax)
}

interface ColumnsMenuProps {
  readonly jobs: readonly Job[]
  readonly cols: string | undefined
  readonly change: (cols: string | undefined) => void
}

/** Which columns there are beside the usual ones; the address keeps the choice. */
export function ColumnsMenu({ jobs, cols, change }: ColumnsMenuProps) {
  const may = useMay()
  const chosen = listOf(cols)
  const names = useMemo(() => namesOf(jobs), [jobs])
  const groups: readonly (readonly [string, readonly string[]])[] = [
    ['Of the job', Object.keys(offered)],
    ['Metadata', withChosen(names.metadata, { chosen, prefix: metadataPrefix })],
    ['Payload', withChosen(names.payload, { chosen, prefix: payloadPrefix })],
  ]
  const toggle = (name: string): void => {
    const next = chosen.includes(name) ? chosen.filter((one) => one !== name) : [...chosen, name]
    change(next.length === 0 ? undefined : next.join(','))
  }
  const label = (
    <>
      <Columns3 size={14} aria-hidden />
      Columns
    </>
  )
  return (
    <Menu label={label} name="Columns">
      {groups.map(([title, all]) => {
        const shown = all.filter((name) => isOffered(name, may))
        if (shown.length === 0) return null
        return (
          <fieldset key={title} className={styles['columns']}>
            <legend className={ui['label']}>{title}</legend>
            {shown.map((name) => (
              <label key={name}>
                <input type="checkbox" checked={chosen.includes(name)} onChange={() => toggle(name)} />
                {offered[name]?.title ?? name.slice(name.indexOf('.') + 1)}
              </label>
            ))}
          </fieldset>
        )
      })}
    </Menu>
  )
}

/** The members of what is loaded. Of a list of thousands the newest tell enough. */
const readForNames = 200

function namesOf(jobs: readonly Job[]): { readonly metadata: string[]; readonly payload: string[] } {
  const some = jobs.slice(0, readForNames)
  return {
    metadata: membersOf(some.map(({ metadata }) => metadata)),
    payload: membersOf(some.map(({ payload }) => payload)),
  }
}

/** An address separates its columns by commas: a member with one in its name cannot be one. */
function membersOf(documents: readonly unknown[]): string[] {
  const isObject = (document: unknown): document is object =>
    typeof document === 'object' && document !== null && !Array.isArray(document)
  const names = new Set(documents.filter(isObject).flatMap((document) => Object.keys(document)))
  return [...names].filter((name) => name !== '' && !name.includes(',')).toSorted()
}

interface ChosenOptions {
  readonly chosen: readonly string[]
  readonly prefix: string
}

/** With those that are shown and that nothing of what is loaded has. */
function withChosen(members: readonly string[], { chosen, prefix }: ChosenOptions): readonly string[] {
  const known = members.map((member) => `${prefix}${member}`)
  return [...known, ...chosen.filter((name) => name.startsWith(prefix) && !known.includes(name))]
}
