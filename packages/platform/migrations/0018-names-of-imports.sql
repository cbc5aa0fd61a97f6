-- The name of the uploaded file, by which people recognize an import in the list. Earlier imports have none.
alter table imports add column file_name text;
