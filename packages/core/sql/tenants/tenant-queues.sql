SELECT current_user::text AS name, has_any_column_privilege($1, 'SELECT, INSERT, UPDATE') OR has_any_column_privilege($2,
    'SELECT, INSERT, UPDATE') OR has_any_column_privilege($3, 'SELECT, INSERT, UPDATE') OR has_any_column_privilege($4,
    'SELECT, INSERT, UPDATE') OR has_any_column_privilege($5, 'SELECT, INSERT, UPDATE') OR has_any_column_privilege($6,
    'SELECT, INSERT, UPDATE') OR has_any_column_privilege($7, 'SELECT, INSERT, UPDATE') OR has_any_column_privilege($8,
    'SELECT, INSERT, UPDATE') AS reaches_tables
