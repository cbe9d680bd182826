type Privileges = Readonly<Partial<Record<string, 'all' | readonly string[]>>>

/** What each role may do with each table, in the order of the columns of the page. */
export type RoleMatrix = Readonly<Record<string, Readonly<Record<string, Privileges>>>>

const privileges = ['SELECT', 'INSERT', 'UPDATE', 'DELETE'] as const

/** The page with the row of each table as the matrix has it. Throws where a table has no row. */
export function withPrivileges(page: string, matrix: RoleMatrix): string {
  return Object.entries(matrix).reduce((text, [table, roles]) => {
    const row = new RegExp(`^\\| \`${table}\` \\|.*$`, 'm')
    if (!row.test(text))
      throw new Error(`the page has no row for the table ${table}: add one, with any cells`)
    return text.replace(row, `| \`${table}\` | ${Object.values(roles).map(describe).join(' | ')} |`)
  }, page)
}

function describe(held: Privileges): string {
  return privileges
    .flatMap((privilege) => {
      const columns = held[privilege]
      if (columns === undefined) return []
      return columns === 'all' ? [privilege] : [`${privilege} (${columns.toSorted().join(', ')})`]
    })
    .join(', ')
}
