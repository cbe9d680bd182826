import { mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { mergeEntries, renderReport, type ReportEntry } from './report.ts'

const jsonName = 'latest.json'
const reportName = 'latest.md'

/** Adds the rows that were run to what is known of the others, and gives the path of the report. */
export async function saveResults(directory: string, entries: readonly ReportEntry[]): Promise<string> {
  await mkdir(directory, { recursive: true })
  const jsonPath = path.join(directory, jsonName)
  const merged = mergeEntries(await readEntries(jsonPath), entries)
  await writeFile(jsonPath, `${JSON.stringify(merged, null, 2)}\n`)
  const reportPath = path.join(directory, reportName)
  await writeFile(reportPath, renderReport(merged))
  return reportPath
}

async function readEntries(jsonPath: string): Promise<ReportEntry[]> {
  try {
    return JSON.parse(await readFile(jsonPath, 'utf8')) as ReportEntry[]
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}
