/** The result of an act that may find nothing to do, and whether it has changed anything. */
export interface Acted<Result> {
  readonly result: Result
  readonly changed: boolean
}
