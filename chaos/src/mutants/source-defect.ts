/** A defect to plant in the sources of the product, as a process of the suite loads them. */
export interface SourceDefect {
  /** What the product would then do. */
  readonly name: string
  readonly edits: readonly SourceEdit[]
}

export interface SourceEdit {
  /** The module's path, from the root of the repository. */
  readonly module: string
  /** Has to occur in it exactly once. */
  readonly find: string
  readonly replace: string
}

export const defectVariable = 'CHAOS_DEFECT'

/** What a process is started with so that its modules carry the defect, those of its threads too. */
export function plantingOf(defect: SourceDefect): {
  readonly execArgv: readonly string[]
  readonly env: Readonly<Record<string, string>>
} {
  return {
    execArgv: [`--import=${new URL('plant-source-defect.ts', import.meta.url).href}`],
    env: { [defectVariable]: JSON.stringify(defect) },
  }
}
