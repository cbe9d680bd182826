import {
  CircleAlert,
  CircleCheck,
  CircleHelp,
  CircleSlash,
  type LucideIcon,
  TriangleAlert,
} from 'lucide-react'
import type { Diagnosis } from '@queue/client'
import { Card } from '../ui/controls.tsx'
import { CopyButton } from '../ui/copy.tsx'
import { Time } from '../ui/time.tsx'
import ui from '../ui/ui.module.css'
import styles from './system.module.css'

type Finding = Diagnosis['findings'][number]

const looks: Readonly<
  Record<
    Finding['status'],
    { readonly icon: LucideIcon; readonly word: string; readonly style: string | undefined }
  >
> = {
  failure: { icon: CircleAlert, word: 'failure', style: ui['failed'] },
  warning: { icon: TriangleAlert, word: 'warning', style: ui['retrying'] },
  not_permitted: { icon: CircleHelp, word: 'unknown to this role', style: ui['queued'] },
  skipped: { icon: CircleSlash, word: 'not checked', style: ui['queued'] },
  ok: { icon: CircleCheck, word: 'ok', style: ui['succeeded'] },
}

/** What doctor finds, each with its command: what is wrong stands first, and what is well behind a fold. */
export function Findings({ diagnosis }: { readonly diagnosis: Diagnosis }) {
  const { findings, checked_at: checkedAt } = diagnosis
  const open = findings.filter(({ status }) => status !== 'ok')
  const well = findings.filter(({ status }) => status === 'ok')
  const aside = (
    <span className={ui['hint']}>
      checked <Time at={checkedAt} />
    </span>
  )
  return (
    <Card title={titleOf(findings)} aside={aside} flush>
      {open.length > 0 && <FindingList findings={open} />}
      {well.length > 0 && (
        <details className={styles['well']} open={open.length === 0}>
          <summary>{well.length === 1 ? 'One check is well' : `${well.length} checks are well`}</summary>
          <FindingList findings={well} />
        </details>
      )}
    </Card>
  )
}

function titleOf(findings: readonly Finding[]): string {
  const count = (wanted: Finding['status']): number =>
    findings.filter(({ status }) => status === wanted).length
  const parts = [
    [count('failure'), 'failure'],
    [count('warning'), 'warning'],
  ] as const
  const told = parts
    .filter(([many]) => many > 0)
    .map(([many, word]) => `${many} ${word}${many === 1 ? '' : 's'}`)
  return told.length === 0 ? 'Doctor finds nothing wrong' : `Doctor finds ${told.join(' and ')}`
}

function FindingList({ findings }: { readonly findings: readonly Finding[] }) {
  return (
    <ul className={styles['findings']}>
      {findings.map((finding) => (
        <FindingItem key={finding.check} finding={finding} />
      ))}
    </ul>
  )
}

function FindingItem({ finding: { check, status, message, cure } }: { readonly finding: Finding }) {
  const { icon: Icon, word, style } = looks[status]
  return (
    <li data-check={check}>
      <span className={`${ui['pill']} ${style}`}>
        <Icon size={14} aria-hidden />
        {word}
      </span>
      <div>
        <b>{check.replaceAll('_', ' ')}</b> <span>{message}</span>
        {cure !== null && (
          <div className={styles['cure']}>
            <code>{cure}</code>
            <CopyButton text={cure}>Copy</CopyButton>
          </div>
        )}
      </div>
    </li>
  )
}
