import type pg from 'pg'
import { quoted } from '../migrator/migration-history.ts'
import { type Access, type ObjectKind, ownObjectsOf, type Privilege } from './access.ts'

/** The catalog's entries about the objects of a migration set. */
export interface Catalog {
  /**
   * The privileges that PUBLIC and the given roles hold by direct grants. Memberships are not followed, and the privileges that a
   * role has as the owner of an object are left out.
   */
  readonly held: readonly Privilege[]
  /** The given roles that exist. */
  readonly roles: ReadonlySet<string>
  /** The owners of the objects other than routines. */
  readonly owners: ReadonlySet<string>
  /** The owner of each routine, by its name with its arguments. */
  readonly routineOwners: ReadonlyMap<string, string>
  /** The objects and columns that exist, by `objectKey`. */
  readonly objects: ReadonlySet<string>
}

/** A key for an object, or for one of its columns. */
export function objectKey(named: Pick<Privilege, 'kind' | 'object' | 'column'>): string {
  return JSON.stringify([named.kind, named.object, named.column])
}

export interface CatalogQuery {
  readonly client: pg.ClientBase
  readonly schema: string
  readonly access: Access
}

/** Reads the catalog for PUBLIC and the roles with these names. Any role may do this. */
export async function readCatalog(
  { client, schema, access }: CatalogQuery,
  roles: readonly string[],
): Promise<Catalog> {
  const own = ownObjectsOf(access)
  const { rows: existing } = await client.query<{ name: string }>(
    'SELECT rolname::text AS name FROM pg_roles WHERE rolname = ANY($1::text[])',
    [roles],
  )
  const { rows: entries } = await client.query<CatalogEntry>(entriesStatement, [
    schema,
    quoted(schema),
    roles,
    ...(['table', 'sequence', 'routine', 'type'] as const).map((kind) => own[kind]),
  ])
  return {
    roles: new Set(existing.map((role) => role.name)),
    owners: new Set(entries.flatMap(({ kind, owner }) => (kind === 'routine' ? [] : [owner]))),
    routineOwners: new Map(
      entries.flatMap(({ kind, object, owner }) => (kind === 'routine' ? [[object, owner] as const] : [])),
    ),
    objects: new Set(entries.map(({ kind, object, column }) => objectKey({ kind, object, column }))),
    held: entries.filter((entry): entry is CatalogEntry & Privilege => entry.privilege !== null),
  }
}

/** A privilege, or an object or column on which none of the given grantees has one. */
interface CatalogEntry extends Omit<Privilege, 'privilege'> {
  readonly owner: string
  readonly privilege: string | null
}

/**
 * An object without a list of privileges has the default privileges, which for types and routines include PUBLIC. The USAGE of
 * PUBLIC on the schema `public` is left out: it concerns the whole database.
 */
const entriesStatement = `
  WITH space AS (
    SELECT n.oid, n.nspowner AS owner, n.nspacl AS acl FROM pg_namespace AS n WHERE n.nspname = $1
  ), relation AS (
    SELECT c.oid, c.relname AS name, c.relowner AS owner, c.relacl AS acl, c.relkind = 'S' AS is_sequence
      FROM space AS s JOIN pg_class AS c ON c.relnamespace = s.oid
     WHERE (c.relkind IN ('r', 'p', 'v', 'm', 'f') AND c.relname = ANY($4::text[]))
        OR (c.relkind = 'S' AND c.relname = ANY($5::text[]))
  ), place (kind, object, column_name, owner, acl) AS (
    SELECT 'schema', $2::text, NULL::text, s.owner, coalesce(s.acl, acldefault('n', s.owner)) FROM space AS s
    UNION ALL
    SELECT CASE WHEN r.is_sequence THEN 'sequence' ELSE 'table' END, $2 || '.' || quote_ident(r.name), NULL, r.owner,
           coalesce(r.acl, acldefault(CASE WHEN r.is_sequence THEN 's' ELSE 'r' END::"char", r.owner))
      FROM relation AS r
    UNION ALL
    SELECT 'table', $2 || '.' || quote_ident(r.name), quote_ident(a.attname), r.owner, a.attacl
      FROM relation AS r JOIN pg_attribute AS a ON a.attrelid = r.oid
     WHERE NOT r.is_sequence AND a.attnum > 0 AND NOT a.attisdropped
    UNION ALL
    SELECT 'routine',
           $2 || '.' || quote_ident(p.proname) || '(' || pg_get_function_identity_arguments(p.oid) || ')',
           NULL, p.proowner, coalesce(p.proacl, acldefault('f', p.proowner))
      FROM space AS s JOIN pg_proc AS p ON p.pronamespace = s.oid AND p.proname = ANY($6::text[])
    UNION ALL
    SELECT 'type', $2 || '.' || quote_ident(t.typname), NULL, t.typowner,
           coalesce(t.typacl, acldefault('T', t.typowner))
      FROM space AS s JOIN pg_type AS t ON t.typnamespace = s.oid AND t.typname = ANY($7::text[])
  )
  SELECT p.kind, p.object, p.column_name AS "column", pg_get_userbyid(p.owner)::text AS owner, held.grantee, held.privilege,
         coalesce(held.grantable, false) AS grantable
    FROM place AS p
    LEFT JOIN LATERAL (
      SELECT CASE WHEN a.grantee <> 0 THEN pg_get_userbyid(a.grantee)::text END AS grantee,
             a.privilege_type AS privilege, bool_or(a.is_grantable) AS grantable
        FROM aclexplode(p.acl) AS a
       WHERE (a.grantee <> p.owner AND a.grantee IN (SELECT r.oid FROM pg_roles AS r WHERE r.rolname = ANY($3::text[])))
          OR (a.grantee = 0 AND NOT (p.kind = 'schema' AND $1 = 'public'))
       GROUP BY a.grantee, a.privilege_type
    ) AS held ON true
   ORDER BY p.kind, p.object, p.column_name, held.grantee, held.privilege`

/** The SQL keyword of each kind. */
export const kindWords: Readonly<Record<ObjectKind, string>> = {
  schema: 'SCHEMA',
  table: 'TABLE',
  sequence: 'SEQUENCE',
  routine: 'ROUTINE',
  type: 'TYPE',
}
