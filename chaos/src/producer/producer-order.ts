/** What a producer process is to do. */
export interface ProducerOrder {
  readonly url: string
  readonly schema: string
  /** Begins the keys of its orders. */
  readonly prefix: string
  readonly seed: number
  readonly transactions: number
}

/** The `application_name` of its connection. */
export const producerName = 'chaos producer'
