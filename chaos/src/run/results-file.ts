import { mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { mergeEntries, renderReport, type ReportEntry } from './report.ts'

/** Adds the result of a scenario to the report with this name, which keeps the results of the others. */
export async function saveResult(directory: string, name: string, entry: ReportEntry): Promise<void> {
  await mkdir(directory, { recursive: true })
  const jsonPath = path.join(directory, `${name}.json`)
  const merged = mergeEntries(await readEntries(jsonPath), [entry])
  await writeFile(jsonPath, `${JSON.stringify(merged, null, 2)}\n`)
  await writeFile(path.join(directory, `${name}.md`), renderReport(merged))
}

async function readEntries(jsonPath: string): Promise<ReportEntry[]> {
  try {
    return JSON.parse(await readFile(jsonPath, 'utf8')) as ReportEntry[]
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}
