/** What was looked up, by ids that any client can send. */
export interface LookUpCache<Entry> {
  /** The latest entry of the id. */
  get(id: string): Entry | undefined
  /** Keeps an entry. It is dropped if `found` fails. */
  keep(id: string, entry: Entry, found: Promise<unknown>): void
  /** Whether the entry of the id is about a thing that was found. */
  isFound(id: string): boolean
  /** The entries whose things were found. */
  found(): Iterable<readonly [string, Entry]>
  delete(id: string): void
  clear(): void
}

/**
 * Keeps `entriesMax` entries whose things were found, and as many others. So ids that name nothing do not displace those that do,
 * however many are sent. Beyond the maximum, the oldest entry is dropped.
 */
export function createLookUpCache<Entry>(entriesMax: number): LookUpCache<Entry> {
  const found = new Map<string, Entry>()
  /** Those that name nothing, and those that are being looked up. */
  const others = new Map<string, Entry>()

  const put = (entries: Map<string, Entry>, id: string, entry: Entry): void => {
    entries.set(id, entry)
    if (entries.size > entriesMax) entries.delete(entries.keys().next().value ?? id)
  }
  const remove = (id: string): void => {
    found.delete(id)
    others.delete(id)
  }
  return {
    get: (id) => found.get(id) ?? others.get(id),
    keep: (id, entry, looking) => {
      remove(id)
      put(others, id, entry)
      // It may have been removed meanwhile, because what is read is out of date.
      const take = (): boolean => others.get(id) === entry && others.delete(id)
      looking.then(
        (value) => value !== undefined && take() && put(found, id, entry),
        () => void take(),
      )
    },
    isFound: (id) => found.has(id),
    found: () => found,
    delete: remove,
    clear: () => {
      found.clear()
      others.clear()
    },
  }
}
