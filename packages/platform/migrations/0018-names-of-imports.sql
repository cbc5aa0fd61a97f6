-- checksum ba925b8e8d2a376b5576d2d2331e2cb3cada5614af62c84ae4ccbe9d5f7996cd, statements 8d50be8c55ef2f12
-- The name of the uploaded file, by which people recognize an import in the list. Null for earlier imports.
alter table imports add column file_name text;
