//! Logs as Parquet: one row group, entries in the file's metadata, counts as unsigned integers.
//!
//! The column writer alone is used, without Arrow: a log has four kinds of flat columns.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use parquet::basic::{Compression, Encoding, LogicalType, Repetition, Type as Physical};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{BoolType, DataType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::{ColumnPath, Type, TypePtr};

use super::{Column, LogError, Values};

/// First and last four bytes of every Parquet file.
const MAGIC: &[u8] = b"PAR1";

pub(super) fn write(path: &Path, entries: &[(String, String)], columns: &[Column]) -> Result<(), LogError> {
    let file = File::create(path).map_err(LogError::io("write", path))?;
    write_to(file, entries, columns)
        .map_err(|error| LogError::io("write", path)(std::io::Error::other(error)))
}

fn write_to(file: File, entries: &[(String, String)], columns: &[Column]) -> Result<(), ParquetError> {
    let fields: Result<Vec<TypePtr>, ParquetError> =
        columns.iter().map(|column| field(column).map(Arc::new)).collect();
    let schema = Arc::new(Type::group_type_builder("step").with_fields(fields?).build()?);
    let metadata = entries.iter().map(|(key, value)| KeyValue::new(key.clone(), value.clone())).collect();
    let mut properties = WriterProperties::builder()
        .set_key_value_metadata(Some(metadata))
        .set_compression(Compression::SNAPPY)
        .set_max_row_group_row_count(None);
    for column in columns.iter().filter(|column| matches!(column.values, Values::Real(_))) {
        // bytes of equal weight stand together and compress; a dictionary of reals would not
        let path = ColumnPath::new(vec![column.name.clone()]);
        properties = properties
            .set_column_dictionary_enabled(path.clone(), false)
            .set_column_encoding(path, Encoding::BYTE_STREAM_SPLIT);
    }
    let mut writer = SerializedFileWriter::new(file, schema, Arc::new(properties.build()))?;
    let mut group = writer.next_row_group()?;
    for column in columns {
        match &column.values {
            Values::Real(values) => write_column::<DoubleType>(&mut group, values, None)?,
            Values::Measured(values) => {
                let levels: Vec<i16> = values.iter().map(|value| i16::from(value.is_some())).collect();
                let values: Vec<f64> = values.iter().flatten().copied().collect();
                write_column::<DoubleType>(&mut group, &values, Some(&levels))?;
            }
            Values::Whole(values) => {
                let values: Vec<i64> = values.iter().map(|value| value.cast_signed()).collect();
                write_column::<Int64Type>(&mut group, &values, None)?;
            }
            Values::Flag(values) => write_column::<BoolType>(&mut group, values, None)?,
        }
    }
    group.close()?;
    writer.close()?;
    Ok(())
}

fn field(column: &Column) -> Result<Type, ParquetError> {
    let (physical, repetition) = match column.values {
        Values::Real(_) => (Physical::DOUBLE, Repetition::REQUIRED),
        Values::Measured(_) => (Physical::DOUBLE, Repetition::OPTIONAL),
        Values::Whole(_) => (Physical::INT64, Repetition::REQUIRED),
        Values::Flag(_) => (Physical::BOOLEAN, Repetition::REQUIRED),
    };
    let logical = matches!(column.values, Values::Whole(_)).then(|| LogicalType::integer(64, false));
    Type::primitive_type_builder(&column.name, physical)
        .with_repetition(repetition)
        .with_logical_type(logical)
        .build()
}

fn write_column<T: DataType>(
    group: &mut SerializedRowGroupWriter<'_, File>,
    values: &[T::T],
    levels: Option<&[i16]>,
) -> Result<(), ParquetError> {
    if let Some(mut column) = group.next_column()? {
        column.typed::<T>().write_batch(values, levels, None)?;
        column.close()?;
    }
    Ok(())
}

type Contents = (Vec<(String, String)>, Vec<Column>);

pub(super) fn read(path: &Path) -> Result<Contents, LogError> {
    let (entries, columns) = read_any(path)?;
    if !entries.iter().any(|(key, _)| key == "tightfit.format") {
        return Err(LogError::foreign(path, "it has no entry tightfit.format"));
    }
    Ok((entries, columns))
}

/// Entries and columns of any flat file of numbers, whoever wrote it.
pub(super) fn read_any(path: &Path) -> Result<Contents, LogError> {
    let bytes = std::fs::read(path).map_err(LogError::io("read", path))?;
    if !bytes.starts_with(MAGIC) {
        return Err(LogError::foreign(path, "it is not a Parquet file"));
    }
    if bytes.len() < 12 || !bytes.ends_with(MAGIC) {
        return Err(LogError::truncated(path, format!("no footer after {} bytes", bytes.len())));
    }
    let damaged = |error: ParquetError| LogError::damaged(path, error.to_string());
    let file = File::open(path).map_err(LogError::io("read", path))?;
    let reader = SerializedFileReader::new(file).map_err(damaged)?;
    let metadata = reader.metadata().file_metadata();
    let entries: Vec<_> = metadata
        .key_value_metadata()
        .into_iter()
        .flatten()
        .filter_map(|entry| Some((entry.key.clone(), entry.value.clone()?)))
        .collect();
    let schema = metadata.schema_descr();
    let mut columns = Vec::new();
    for (index, described) in schema.columns().iter().enumerate() {
        let values = read_values(&reader, index, described.max_def_level() > 0).map_err(damaged)?;
        columns.push(Column { name: described.name().to_string(), values });
    }
    Ok((entries, columns))
}

/// One column over all row groups.
fn read_values(reader: &dyn FileReader, index: usize, is_optional: bool) -> Result<Values, ParquetError> {
    let mut reals = Cells::default();
    let mut wholes = Cells::default();
    let mut flags = Cells::default();
    let mut kind = Physical::DOUBLE;
    for group in 0..reader.num_row_groups() {
        let group = reader.get_row_group(group)?;
        let rows = usize::try_from(group.metadata().num_rows()).unwrap_or(0);
        // the reader asserts these instead of answering
        let is_placed = group.metadata().columns().get(index).is_some_and(|chunk| {
            let start = chunk.dictionary_page_offset().unwrap_or(chunk.data_page_offset());
            start >= 0 && chunk.data_page_offset() >= 0 && chunk.compressed_size() >= 0
        });
        if !is_placed {
            return Err(ParquetError::General(format!("column {index} lies outside the file")));
        }
        match group.get_column_reader(index)? {
            ColumnReader::DoubleColumnReader(column) => reals.read(column, rows)?,
            ColumnReader::FloatColumnReader(column) => {
                let mut singles = Cells::default();
                singles.read(column, rows)?;
                reals.values.extend(singles.values.into_iter().map(f64::from));
                reals.levels.extend(singles.levels);
            }
            ColumnReader::Int64ColumnReader(column) => {
                kind = Physical::INT64;
                wholes.read(column, rows)?;
            }
            ColumnReader::BoolColumnReader(column) => {
                kind = Physical::BOOLEAN;
                flags.read(column, rows)?;
            }
            _ => return Err(ParquetError::General(format!("column {index} is of a kind that no log has"))),
        }
    }
    Ok(match kind {
        Physical::INT64 => {
            Values::Whole(wholes.values.iter().map(|value: &i64| value.cast_unsigned()).collect())
        }
        Physical::BOOLEAN => Values::Flag(flags.values),
        _ if is_optional => {
            let mut values = reals.values.into_iter();
            Values::Measured(
                reals.levels.iter().map(|level| (*level > 0).then(|| values.next()).flatten()).collect(),
            )
        }
        _ => Values::Real(reals.values),
    })
}

/// Values that are there, and for every row whether one is.
struct Cells<T> {
    values: Vec<T>,
    levels: Vec<i16>,
}

impl<T> Default for Cells<T> {
    fn default() -> Self {
        Self { values: Vec::new(), levels: Vec::new() }
    }
}

impl<T> Cells<T> {
    fn read<D: DataType<T = T>>(
        &mut self,
        mut column: ColumnReaderImpl<D>,
        rows: usize,
    ) -> Result<(), ParquetError> {
        let mut left = rows;
        while left > 0 {
            let (read, _, _) = column.read_records(left, Some(&mut self.levels), None, &mut self.values)?;
            if read == 0 {
                return Err(ParquetError::General(format!("{left} of {rows} rows are missing")));
            }
            left -= read.min(left);
        }
        Ok(())
    }
}
