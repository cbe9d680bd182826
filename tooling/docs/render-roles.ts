type Privileges = Readonly<Partial<Record<string, 'all' | readonly string[]>>>

/** The privileges of each role on each table. The order of the roles is that of the page's columns. */
export type RoleMatrix = Readonly<Record<string, Readonly<Record<string, Privileges>>>>

const privileges = ['SELECT', 'INSERT', 'UPDATE', 'DELETE'] as const

/** Returns the page with an updated row for each table. Throws if the page has no row for a table. */
export function withPrivileges(page: string, matrix: RoleMatrix): string {
  return Object.entries(matrix).reduce((text, [table, roles]) => {
    const row = new RegExp(`^\\| \`${table}\` \\|.*$`, 'm')
    if (!row.test(text))
      throw new Error(`the page has no row for the table ${table}: add a row that starts with its name`)
    return text.replace(row, `| \`${table}\` | ${Object.values(roles).map(describe).join(' | ')} |`)
  }, page)
}

function describe(granted: Privileges): string {
  return privileges
    .flatMap((privilege) => {
      const columns = granted[privilege]
      if (columns === undefined) return []
      return columns === 'all' ? [privilege] : [`${privilege} (${columns.toSorted().join(', ')})`]
    })
    .join(', ')
}
