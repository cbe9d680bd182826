/**
 * The sensitive values of an attempt's payload, which its worker keeps out of errors, logs and progress. Absent where the
 * kind of the job declares none.
 */
export interface HiddenValues {
  /** Adds the values of the payload as the handler gets it, and as it leaves it. */
  addParsed(payload: unknown): void
  /** Adds the values of another attempt, because one text may contain those of both. */
  addOther(other: HiddenValues): void
}
