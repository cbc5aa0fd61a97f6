-- checksum 396ac6022e48d3152cf23087a0aca26b384f829efd1a9d11771ed4cc68c20409, statements 00271bdd38fd6467
-- Folding updates the last value of every point that has new observations. With free space in the pages, these are HOT
-- updates, which do not write to the index.
alter table latest_values set (fillfactor = 50);
