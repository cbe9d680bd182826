import type { Job } from '@queue/client'
import { Link } from '@tanstack/react-router'
import { Columns3 } from 'lucide-react'
import { type ReactNode, useMemo } from 'react'
import { type WorkerVersions, useWorkerVersions } from '../../api/worker-versions.ts'
import { type JobSearch, listOf, metadataPrefix } from '../../search.ts'
import { type Permission, useMay } from '../../shell/me.tsx'
import { Menu } from '../../ui/menu.tsx'
import ui from '../../ui/ui.module.css'
import { optionsWith } from './job-options.ts'
import styles from './jobs.module.css'

/** An optional column of the list of jobs. */
export interface JobColumn {
  /** The name in the address. */
  readonly name: string
  readonly title: string
  readonly cell: (job: Job) => ReactNode
}

const payloadPrefix = 'payload.'

interface OptionalColumn {
  readonly title: string
  /** The permission that the column requires. */
  readonly permission?: Permission
  readonly cell: (job: Job, versions: WorkerVersions) => ReactNode
}

/** The fixed columns. Others are `metadata.<name>`, and `payload.<name>` for callers who can read payloads. */
const fixedColumns: Readonly<Record<string, OptionalColumn>> = {
  tenant: { title: 'Tenant', cell: ({ tenant_id: tenant }) => <FilterLink name="tenant" value={tenant} /> },
  key: { title: 'Key', cell: ({ key }) => <FilterLink name="key" value={key} /> },
  ...Object.fromEntries(
    optionsWith('column').map(({ name, label, column }) => [name, { title: label, cell: column }]),
  ),
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

/** A value that links to the list filtered by it. */
function FilterLink({ name, value }: FilterLinkProps) {
  if (value === null) return ''
  return (
    <Link to="/jobs" search={(before: JobSearch) => ({ ...before, [name]: value })}>
      {value}
    </Link>
  )
}

/** The columns in the address that the caller has permission to see. */
export function useJobColumns(cols: string | undefined): readonly JobColumn[] {
  const may = useMay()
  const names = listOf(cols)
  const versions = useWorkerVersions(names.includes('version'))
  const shown = names.filter((name) => isAvailable(name, may)).join(',')
  return useMemo(() => listOf(shown).map((name) => columnOf(name, versions)), [shown, versions])
}

function isAvailable(name: string, may: ReturnType<typeof useMay>): boolean {
  if (name.startsWith(metadataPrefix)) return true
  if (name.startsWith(payloadPrefix)) return may('payload:read')
  const column = fixedColumns[name]
  return column !== undefined && (column.permission === undefined || may(column.permission))
}

function columnOf(name: string, versions: WorkerVersions): JobColumn {
  const column = fixedColumns[name]
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

/** The maximum length of a cell text in the page. CSS truncates long values visually. */
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

/** The menu of optional columns. The address keeps the selection. */
export function ColumnsMenu({ jobs, cols, change }: ColumnsMenuProps) {
  const may = useMay()
  const selected = listOf(cols)
  const names = useMemo(() => namesOf(jobs), [jobs])
  const groups: readonly (readonly [string, readonly string[]])[] = [
    ['Job', Object.keys(fixedColumns)],
    ['Metadata', withSelected(names.metadata, { selected, prefix: metadataPrefix })],
    ['Payload', withSelected(names.payload, { selected, prefix: payloadPrefix })],
  ]
  const toggle = (name: string): void => {
    const next = selected.includes(name) ? selected.filter((one) => one !== name) : [...selected, name]
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
        const shown = all.filter((name) => isAvailable(name, may))
        if (shown.length === 0) return null
        return (
          <fieldset key={title} className={styles['columns']}>
            <legend className={ui['label']}>{title}</legend>
            {shown.map((name) => (
              <label key={name}>
                <input type="checkbox" checked={selected.includes(name)} onChange={() => toggle(name)} />
                {fixedColumns[name]?.title ?? name.slice(name.indexOf('.') + 1)}
              </label>
            ))}
          </fieldset>
        )
      })}
    </Menu>
  )
}

/** Column names are collected from this many of the newest loaded jobs. */
const nameRowsMax = 200

function namesOf(jobs: readonly Job[]): { readonly metadata: string[]; readonly payload: string[] } {
  const newest = jobs.slice(0, nameRowsMax)
  return {
    metadata: membersOf(newest.map(({ metadata }) => metadata)),
    payload: membersOf(newest.map(({ payload }) => payload)),
  }
}

/** Columns are separated by commas in the address, so a member with a comma in its name cannot be a column. */
function membersOf(documents: readonly unknown[]): string[] {
  const isObject = (document: unknown): document is object =>
    typeof document === 'object' && document !== null && !Array.isArray(document)
  const names = new Set(documents.filter(isObject).flatMap((document) => Object.keys(document)))
  return [...names].filter((name) => name !== '' && !name.includes(',')).toSorted()
}

interface SelectedOptions {
  readonly selected: readonly string[]
  readonly prefix: string
}

/** The known members, plus the selected columns that no loaded job has. */
function withSelected(members: readonly string[], { selected, prefix }: SelectedOptions): readonly string[] {
  const known = members.map((member) => `${prefix}${member}`)
  return [...known, ...selected.filter((name) => name.startsWith(prefix) && !known.includes(name))]
}
