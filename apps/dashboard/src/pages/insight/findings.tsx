import type { Diagnosis } from '@queue/client'
import {
  CircleAlert,
  CircleCheck,
  CircleHelp,
  CircleSlash,
  type LucideIcon,
  TriangleAlert,
} from 'lucide-react'
import { Card } from '../../ui/controls.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { plural } from '../../ui/format.ts'
import { Time } from '../../ui/time.tsx'
import ui from '../../ui/ui.module.css'
import styles from './system.module.css'

type Finding = Diagnosis['findings'][number]

const looks: Readonly<
  Record<
    Finding['status'],
    { readonly icon: LucideIcon; readonly word: string; readonly style: string | undefined }
  >
> = {
  failure: { icon: CircleAlert, word: 'Failure', style: ui['failed'] },
  warning: { icon: TriangleAlert, word: 'Warning', style: ui['retrying'] },
  not_permitted: { icon: CircleHelp, word: 'No access for this role', style: ui['queued'] },
  skipped: { icon: CircleSlash, word: 'Not checked', style: ui['queued'] },
  ok: { icon: CircleCheck, word: 'OK', style: ui['succeeded'] },
}

/** The findings of doctor, each with its command. Problems are first, and passed checks are collapsed. */
export function Findings({ diagnosis }: { readonly diagnosis: Diagnosis }) {
  const { findings, checked_at: checkedAt } = diagnosis
  const problems = findings.filter(({ status }) => status !== 'ok')
  const passed = findings.filter(({ status }) => status === 'ok')
  const aside = (
    <span className={ui['hint']}>
      Checked <Time at={checkedAt} />
    </span>
  )
  return (
    <Card title={titleOf(findings)} aside={aside} flush>
      {problems.length > 0 && <FindingList findings={problems} />}
      {passed.length > 0 && (
        <details className={styles['well']} open={problems.length === 0}>
          <summary>{plural(passed.length, 'check')} passed</summary>
          <FindingList findings={passed} />
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
  const problems = parts.filter(([number]) => number > 0).map(([number, word]) => plural(number, word))
  return problems.length === 0 ? 'Doctor found no problems' : `Doctor found ${problems.join(' and ')}`
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
